#include "sinew/base/parallel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sinew::parallel_test {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnce) {
  std::vector<int> visits(100'000, 0);
  parallelFor(static_cast<Index>(visits.size()), 128, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
  for (const int count : visits) ASSERT_EQ(count, 1);
}

TEST(ParallelSum, HasTheSameBitsOnOneAndManyThreads) {
  const auto sum = [] {
    return parallelSum(1'000'003, 1000, [](Index begin, Index end) {
      double part = 0;
      for (Index i = begin; i < end; ++i) part += std::sin(static_cast<double>(i)) * 1e-3;
      return part;
    });
  };
  double one = 0;
  {
    const ThreadLimit limit(1);
    EXPECT_EQ(threadCount(), 1);
    one = sum();
  }
  const ThreadLimit limit(4);
  for (int repeat = 0; repeat < 20; ++repeat) ASSERT_EQ(sum(), one);
}

}  // namespace
}  // namespace sinew::parallel_test
