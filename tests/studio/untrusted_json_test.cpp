// Numbers of untrusted JSON.
#include "studio/untrusted_json.h"

#include <gtest/gtest.h>

namespace sinew::studio::untrusted_json_test {
namespace {

using Json = nlohmann::json;

TEST(UntrustedJson, WholeNumbersFitTheirType) {
  EXPECT_EQ(whole<std::size_t>(Json(7)), 7u);
  EXPECT_EQ(whole<int>(Json(-7)), -7);
  EXPECT_EQ(whole<std::uint32_t>(Json(4294967295u)), 4294967295u);
  EXPECT_EQ(whole<std::uint32_t>(Json(12.0)), 12u) << "as a page may write it";
  for (const char* wrong :
       {"-1", "4294967296", "1e300", "-1e300", "0.5", "null", "\"1\"", "[1]", "true", "18446744073709551615"})
    EXPECT_THROW((void)whole<std::uint32_t>(Json::parse(wrong)), Json::exception) << wrong;
  for (const char* wrong : {"18446744073709551616", "1.8446744073709552e19", "-1"})
    EXPECT_THROW((void)whole<std::size_t>(Json::parse(wrong)), Json::exception) << wrong;
  for (const char* wrong : {"2147483648", "-2147483649", "2147483648.0"})
    EXPECT_THROW((void)whole<int>(Json::parse(wrong)), Json::exception) << wrong;
  EXPECT_EQ(whole<int>(Json::parse("-2147483648.0")), std::numeric_limits<int>::min());
}

TEST(UntrustedJson, MembersAndListsOfWholeNumbers) {
  const Json args = Json::parse(R"({"most": 4, "wrong": 1e300, "vertices": [3, 1], "broken": [3, -1]})");
  EXPECT_EQ(wholeOr<int>(args, "most", 0), 4);
  EXPECT_EQ(wholeOr<int>(args, "least", 9), 9);
  EXPECT_THROW((void)wholeOr<int>(args, "wrong", 0), Json::exception);
  EXPECT_EQ(wholeList(args["vertices"]), (std::vector<std::uint32_t>{3, 1}));
  EXPECT_THROW((void)wholeList(args["broken"]), Json::exception);
  EXPECT_THROW((void)wholeList(args["most"]), Json::exception);
}

}  // namespace
}  // namespace sinew::studio::untrusted_json_test
