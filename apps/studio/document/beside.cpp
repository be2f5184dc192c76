#include "studio/document/beside.h"

#include <fmt/format.h>

#include <algorithm>

#include "studio/document/blob.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> namesIn(const Json& about) {
  std::vector<std::string> names;
  const Json list = about.is_object() ? about.value("beside", Json::array()) : Json::array();
  for (const Json& name : list) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

/// The folder of the character: a model refers to no other.
std::string characterOf(const std::string& own, const Json& about) {
  const std::vector<std::string> names = namesIn(about);
  return about.value("kind", "") == "model" && !names.empty() ? names.front() : own;
}

}  // namespace

std::vector<wire::RelatedInfo> documentsBeside(const fs::path& state, const std::string& own, const Json& about) {
  const std::string character = characterOf(own, about);
  const Json first = character == own ? about : aboutOf(state / character);
  std::vector<std::string> names{character};
  for (const std::string& name : namesIn(first)) names.push_back(name);
  if (std::find(names.begin(), names.end(), own) == names.end()) names.push_back(own);
  std::vector<wire::RelatedInfo> list;
  for (const std::string& name : names) {
    const Json other = name == own ? about : aboutOf(state / name);
    if (!other.is_object()) continue;  // the folder was cleared
    list.push_back({std::string(kKept) + name, other.value("title", ""), name == own});
  }
  if (list.size() < 2) list.clear();
  return list;
}

Json aboutModel(const fs::path& state, const std::string& own, Json& about) {
  const std::string stem = fs::path(about.value("title", "")).stem().string();
  for (int number = 1;; ++number) {
    Json model{{"title", number == 1 ? stem + " model" : fmt::format("{} model {}", stem, number)},
               {"path", ""},
               {"kind", "model"},
               {"from", "model:" + own},
               {"beside", Json::array({own})}};
    const std::string name = journalName(model);
    // An earlier one is kept.
    if (aboutOf(state / name).is_object()) continue;
    if (!about.contains("beside")) about["beside"] = Json::array();
    about["beside"].push_back(name);
    return model;
  }
}

void keepBeside(const fs::path& folder, Journal& journal) {
  const Json before = aboutOf(folder);
  Json about = journal.about();
  if (folder == journal.folder() || !before.is_object() || !before.contains("beside") || about.contains("beside"))
    return;
  about["beside"] = before["beside"];
  journal.rename(about);
}

void renameBeside(const fs::path& state, const Json& about, const std::string& from, const std::string& to) {
  for (const std::string& name : namesIn(about)) {
    Json other = aboutOf(state / name);
    std::vector<std::string> names = namesIn(other);
    const auto found = std::find(names.begin(), names.end(), from);
    if (found == names.end()) continue;
    *found = to;
    other["beside"] = names;
    writeAbout(state / name, other);
  }
}

}  // namespace sinew::studio
