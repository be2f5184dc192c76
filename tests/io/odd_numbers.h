// Numbers that a file must keep bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "sinew/base/random.h"
#include "sinew/base/types.h"

namespace sinew::test {

/// Numbers with all their digits, a tiny one and a negative zero among them.
inline Eigen::MatrixXd oddNumbers(Index rows, Index columns, std::uint32_t seed) {
  Lcg random(seed);
  Eigen::MatrixXd matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = random.symmetric() / 3;
  if (matrix.size() > 1) matrix.data()[1] = -0.0;
  if (matrix.size() > 2) matrix.data()[2] = 1e-300;
  return matrix;
}

template <class A, class B>
void expectSameBits(const A& a, const B& b, const char* what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.cols(), b.cols()) << what;
  if (a.size() == 0) return;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), toSize(a.size()) * sizeof(double)), 0) << what;
}

}  // namespace sinew::test
