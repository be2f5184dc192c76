// Plans and files of the mode Export, and how programs play them that know nothing of Sinew.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "session_harness.h"
#include "sinew/deform/posing.h"
#include "sinew/io/gltf.h"

namespace sinew::studio::test::export_test {

namespace fs = std::filesystem;

inline Json event(StudioRun& run, const std::string& name, const Json& job) {
  const auto fits = [&](const Json& heard) {
    return (heard.value("event", "") == name && heard.value("job", 0) == job) ||
           (heard.value("event", "") == "job" && heard.value("job", 0) == job && heard.value("fault", "") != "");
  };
  // Instrumented builds take their time.
  Json heard;
  for (int tries = 0; tries < 12 && heard.is_null(); ++tries) heard = run.page().wait(fits);
  return heard;
}

inline Json plan(StudioRun& run, const Json& options = Json::object()) {
  const Json answer = run.result("export.plan", options);
  EXPECT_TRUE(answer.contains("job")) << answer;
  return answer.contains("job") ? event(run, "exportPlan", answer["job"]) : answer;
}

inline Json written(StudioRun& run, const std::string& path, bool replace = false) {
  const Json answer = run.result("export.write", {{"path", path}, {"replace", replace}});
  EXPECT_TRUE(answer.contains("job")) << answer;
  return answer.contains("job") ? event(run, "exportWritten", answer["job"]) : answer;
}

/// As programs play it that know nothing of Sinew.
inline Character plain(const fs::path& path) {
  Character character = readCharacter(path).character;
  character.helpers.clear();
  return character;
}

inline Points played(const Character& character, const std::string& clip, double time) {
  return posePoints(character, clipPose(character, clip, time));
}

inline double furthest(const Points& a, const Points& b) {
  return (a - b).colwise().norm().maxCoeff();
}

}  // namespace sinew::studio::test::export_test
