// The JSON of records: fields by name, optional ones without a value left out, lists of any depth as arrays.
#include "studio/record_json.h"

#include <gtest/gtest.h>

#include "studio/document_info.h"

namespace sinew::studio::record_json_test {
namespace {

using Json = nlohmann::json;

TEST(RecordJson, HasEveryFieldByItsName) {
  const wire::KeyInfo key{.time = 0.5, .handles = 3, .smooth = true};
  EXPECT_EQ(recordJson(key), (Json{{"time", 0.5}, {"handles", 3}, {"smooth", true}}));
}

TEST(RecordJson, LeavesOutOptionalFieldsWithoutAValue) {
  wire::MirrorInfo mirror;
  EXPECT_EQ(recordJson(mirror), Json::object());
  mirror.axis = "x";
  mirror.partners = {1, 0, -1};
  EXPECT_EQ(recordJson(mirror), (Json{{"axis", "x"}, {"partners", {1, 0, -1}}}));
}

TEST(RecordJson, NestsRecordsAndLists) {
  wire::DocumentInfo info{.title = "arm", .centre = {1, 2, 3}};
  info.joints.push_back({.name = "upper", .parent = -1, .rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}});
  info.morphWeights = {{0.5, 1}, {}};
  info.angles = {{}, {{2, 10, 20, 30}}};
  const Json json = recordJson(info);
  EXPECT_EQ(json["title"], "arm");
  EXPECT_EQ(json["centre"], (Json{1.0, 2.0, 3.0}));
  EXPECT_EQ(json["joints"][0]["parent"], -1);
  EXPECT_EQ(json["joints"][0]["rest"]["rotation"], (Json{0.0, 0.0, 0.0, 1.0}));
  EXPECT_FALSE(json["joints"][0].contains("rule"));
  EXPECT_EQ(json["morphWeights"], (Json{{0.5, 1.0}, Json::array()}));
  EXPECT_EQ(json["angles"][1][0], (Json{2.0, 10.0, 20.0, 30.0}));
  EXPECT_EQ(json["problems"], Json::array());
  EXPECT_FALSE(json.contains("reduced"));
}

}  // namespace
}  // namespace sinew::studio::record_json_test
