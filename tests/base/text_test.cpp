#include "sinew/base/text.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

TEST(NaturalOrder, PutsTwoBeforeTen) {
  EXPECT_TRUE(naturalLess("2.obj", "10.obj"));
  EXPECT_FALSE(naturalLess("10.obj", "2.obj"));
  EXPECT_TRUE(naturalLess("pose9b", "pose10a"));
}

TEST(NaturalOrder, IsStrictForNamesThatDifferOnlyInLeadingZeros) {
  EXPECT_TRUE(naturalLess("01", "1"));
  EXPECT_FALSE(naturalLess("1", "01"));
  EXPECT_FALSE(naturalLess("same", "same"));
}

TEST(NearestName, FindsATypingMistake) {
  const std::vector<std::string> names{"shoulder.L", "elbow.L", "wrist.L"};
  EXPECT_EQ(nearestName("elbwo.L", names), "elbow.L");
  EXPECT_EQ(nearestName("ELBOW.L", names), "elbow.L");
}

TEST(NearestName, TwoExchangedLettersAreOneMistake) {
  EXPECT_EQ(nearestName("atuo", std::vector<std::string>{"auto"}), "auto");
  EXPECT_EQ(nearestName("linear", std::vector<std::string>{"linear-blend"}), "linear-blend");
}

TEST(NearestName, SuggestsNothingForAWordFarFromAll) {
  EXPECT_EQ(nearestName("fish", std::vector<std::string>{"bash", "zsh"}), "");
  EXPECT_EQ(nearestName("tail", std::vector<std::string>{"shoulder"}), "");
}

}  // namespace
}  // namespace sinew
