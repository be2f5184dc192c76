#include "sinew/base/check.h"

#include <gtest/gtest.h>

#include <limits>

namespace sinew::check_test {
namespace {

TEST(CheckFinite, NamesTheFirstBadVertex) {
  Points points = Points::Ones(3, 10'000);
  EXPECT_EQ(firstNonFinite(points), -1);
  points(1, 9'000) = std::numeric_limits<double>::infinity();
  points(2, 7'123) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(firstNonFinite(points), 7'123);
  try {
    checkFinite(points, "test", "the sculpt");
    FAIL() << "a NaN passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::BadInput);
    EXPECT_NE(error.message().find("the sculpt"), std::string::npos);
    EXPECT_NE(error.message().find("vertex 7123"), std::string::npos);
  }
}

TEST(Error, KeepsTheFirstPlaceThatWasNamed) {
  const Error plain(ErrorCode::BadInput, "is empty");
  EXPECT_STREQ(plain.in("a.obj").what(), "a.obj: is empty");
  EXPECT_STREQ(plain.in("a.obj").in("b.obj").what(), "a.obj: is empty");
}

}  // namespace
}  // namespace sinew::check_test
