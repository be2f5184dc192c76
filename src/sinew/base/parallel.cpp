#include "sinew/base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <functional>

namespace sinew {
namespace detail {

void parallelRanges(Index count, Index grain, RangeBody body, const void* context) {
  if (count <= 0) return;
  if (count <= grain || threadCount() == 1) {
    body(context, 0, count);
    return;
  }
  tbb::parallel_for(
      tbb::blocked_range<Index>(0, count, std::max<Index>(1, grain)),
      [body, context](const tbb::blocked_range<Index>& range) { body(context, range.begin(), range.end()); });
}

double parallelSum(Index count, Index grain, RangeSum body, const void* context) {
  if (count <= 0) return 0;
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<Index>(0, count, std::max<Index>(1, grain)), 0.0,
      [body, context](const tbb::blocked_range<Index>& range, double sum) {
        return sum + body(context, range.begin(), range.end());
      },
      std::plus<>());
}

}  // namespace detail

struct ThreadLimit::Impl {
  explicit Impl(std::size_t threads) : control(tbb::global_control::max_allowed_parallelism, threads) {}
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int threads)
    : impl_(std::make_unique<Impl>(toSize(threads > 0 ? threads : tbb::info::default_concurrency()))) {}
ThreadLimit::~ThreadLimit() = default;

int threadCount() {
  const auto allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return static_cast<int>(allowed);
}

}  // namespace sinew
