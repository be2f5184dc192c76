#include "sinew/io/nesting.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"

namespace sinew::nesting_test {
namespace {

std::string timesOver(std::size_t count, const std::string& piece) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

/// Empty if the text is accepted.
std::string nestingFault(const std::string& text, Notation notation) {
  try {
    checkNesting(text, notation, "x", {.depth = 8, .members = 4});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Nesting, JsonMayBeAsDeepAsTheLimitAndNoDeeper) {
  EXPECT_EQ(nestingFault(timesOver(8, "[") + timesOver(8, "]"), Notation::Json), "");
  EXPECT_EQ(nestingFault(timesOver(9, "["), Notation::Json), "x: is nested deeper than 8 levels; the file is damaged");
  EXPECT_EQ(nestingFault(timesOver(20, "[]") + timesOver(20, "{\"a\":{}}"), Notation::Json), "");
}

TEST(Nesting, BracketsInTextsAndCommentsDoNotCountAndHideNothing) {
  EXPECT_EQ(nestingFault("\"" + timesOver(20, "[") + "\"", Notation::Json), "");
  EXPECT_EQ(nestingFault("\"\\\"" + timesOver(20, "[") + "\"", Notation::Json), "");
  EXPECT_EQ(nestingFault("// " + timesOver(20, "[") + "\n[]", Notation::Json), "");
  EXPECT_EQ(nestingFault("/* " + timesOver(20, "[") + "*/ []", Notation::Json), "");
  for (const char* hider : {"/* \" */", "// \"\n", "\"\\\\\"", "\"/*\"", "\"//\""}) {
    EXPECT_NE(nestingFault(hider + timesOver(9, "["), Notation::Json), "") << hider;
  }
  for (const char* cut : {"\"", "\"\\", "/", "//", "/*", "/* *", "[\"\\\\\\"})
    EXPECT_EQ(nestingFault(cut, Notation::Json), "");
}

TEST(Nesting, ObjectsMayHaveAsManyMembersAsTheLimit) {
  EXPECT_EQ(nestingFault("{" + timesOver(4, "\"a\":1,") + "}", Notation::Json), "");
  EXPECT_EQ(nestingFault("{" + timesOver(5, "\"a\":1,") + "}", Notation::Json),
            "x: has an object with more than 4 members; the file is damaged");
  EXPECT_EQ(nestingFault("[" + timesOver(9, "{\"a\":1},") + "]", Notation::Json), "");
}

TEST(Nesting, CborMayBeAsDeepAsTheLimitAndNoDeeper) {
  EXPECT_EQ(nestingFault(timesOver(7, "\x81") + "\x80", Notation::Cbor), "");
  EXPECT_NE(nestingFault(timesOver(9, "\x81"), Notation::Cbor), "");
  EXPECT_EQ(nestingFault(timesOver(7, "\x9f") + "\x01" + timesOver(7, "\xff"), Notation::Cbor), "");
  for (const char* opens : {"\x9f", "\xbf", "\x5f", "\x7f", "\xc1", "\x98\x02", "\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
                            "\xbb\xff\xff\xff\xff\xff\xff\xff\xff"}) {
    EXPECT_NE(nestingFault(timesOver(9, opens), Notation::Cbor), "") << static_cast<int>(opens[0]);
  }
  // Siblings are not nesting: a list of twenty lists, and one that ends by a break.
  EXPECT_EQ(nestingFault("\x94" + timesOver(20, "\x81\x01"), Notation::Cbor), "");
  EXPECT_EQ(nestingFault("\x9f" + timesOver(20, "\x9f\xff\x81\x01") + "\xff", Notation::Cbor), "");
}

TEST(Nesting, BytesOfCborTextsDoNotCount) {
  EXPECT_EQ(nestingFault("\x74" + timesOver(20, "\x81"), Notation::Cbor), "");
  EXPECT_EQ(nestingFault(std::string("\x58\x14") + timesOver(20, "\x81"), Notation::Cbor), "");
  EXPECT_EQ(nestingFault("\x7b\xff\xff\xff\xff\xff\xff\xff\xff" + timesOver(20, "\x81"), Notation::Cbor), "")
      << "cut off";
}

TEST(Nesting, CborMapsMayHaveAsManyMembersAsTheLimit) {
  EXPECT_EQ(nestingFault("\xa4" + timesOver(4, "\x01\x02"), Notation::Cbor), "");
  EXPECT_NE(nestingFault("\xa5" + timesOver(5, "\x01\x02"), Notation::Cbor), "");
  EXPECT_NE(nestingFault("\xbf" + timesOver(5, "\x01\x02"), Notation::Cbor), "");
}

TEST(Nesting, WhatIsCutOffAnywhereIsLeftToTheParser) {
  const std::string cbor("\xa2\x61\x61\x82\x19\x01\x00\xf6\x62\x62\x62\xfb\x3f\xf0\x00\x00\x00\x00\x00\x00", 20);
  for (std::size_t cut = 0; cut <= cbor.size(); ++cut) EXPECT_EQ(nestingFault(cbor.substr(0, cut), Notation::Cbor), "");
}

}  // namespace
}  // namespace sinew::nesting_test
