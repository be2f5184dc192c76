// All threading goes through this header. Each index is computed by the same code for any number of threads, and sums
// are taken in a fixed tree, so results are bit-identical on 1 and N threads.
#pragma once

#include <cstddef>
#include <memory>

#include "sinew/base/types.h"

namespace sinew {

namespace detail {
using RangeBody = void (*)(const void* context, Index begin, Index end);
using RangeSum = double (*)(const void* context, Index begin, Index end);
void parallelRanges(Index count, Index grain, RangeBody body, const void* context);
double parallelSum(Index count, Index grain, RangeSum body, const void* context);
}  // namespace detail

/// Calls body(begin, end) on ranges of at least `grain` indices that together cover [0, count). No allocation of its
/// own.
template <class Body>
void parallelRanges(Index count, Index grain, const Body& body) {
  detail::parallelRanges(
      count, grain,
      [](const void* context, Index begin, Index end) { (*static_cast<const Body*>(context))(begin, end); }, &body);
}

/// Calls body(i) for every i in [0, count).
template <class Body>
void parallelFor(Index count, Index grain, const Body& body) {
  parallelRanges(count, grain, [&body](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) body(i);
  });
}

/// Sum of body(begin, end) over fixed blocks of `grain` indices, added in an order that does not depend on threads.
template <class Body>
double parallelSum(Index count, Index grain, const Body& body) {
  return detail::parallelSum(
      count, grain,
      [](const void* context, Index begin, Index end) { return (*static_cast<const Body*>(context))(begin, end); },
      &body);
}

/// Limits the threads of the whole process while it lives. 0 means all cores.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// How many threads may work now.
int threadCount();

}  // namespace sinew
