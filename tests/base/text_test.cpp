#include "sinew/base/text.h"

#include <gtest/gtest.h>

namespace sinew::text_test {
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

TEST(Tamed, ShowsWordsAndHidesWhatSteersATerminal) {
  EXPECT_EQ(tamed("Ärmel ✓ 腕"), "Ärmel ✓ 腕");
  EXPECT_EQ(tamed("a\x1b[31mb\x07\x7f"), "a?[31mb??");
  EXPECT_EQ(tamed("one\ntwo\tthree"), "one?two?three");
  EXPECT_EQ(tamed("one\ntwo\tthree\r", true), "one\ntwo\tthree?");
  EXPECT_EQ(tamed("\xc2\x9b"
                  "31m"),
            "?31m")
      << "the same in one character";
  EXPECT_EQ(tamed("a\xe2\x80\xae"
                  "b"),
            "a?b")
      << "a change of direction";
  // No UTF-8, longer than needed, half of a pair, beyond the last, cut off.
  EXPECT_EQ(tamed("\xff\xc3*\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82"),
            std::string(2, '?') + "*" + std::string(11, '?'));
}

TEST(Shortened, KeepsBothEndsOrTheLast) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(shortened("abcdefgh", 5, true), "…efgh");
  EXPECT_EQ(shortened("äöüäöü", 3), "ä…ü");
  EXPECT_EQ(shortened("abc", 1), "…");
  EXPECT_EQ(shortened("abc", 0), "");
}

}  // namespace
}  // namespace sinew::text_test
