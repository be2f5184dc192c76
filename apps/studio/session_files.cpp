// Opening, listing, saving: what goes in and out of the studio.
#include <fmt/format.h>

#include <algorithm>

#include "session.h"
#include "sinew/base/error.h"
#include "sinew/samples/samples.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSample = "sample:";

/// The journal of what was opened before under this name, where it holds steps that were not saved.
std::unique_ptr<Journal> unfinished(const Session& session, const Json& about) {
  const std::string key = about.value("path", "") + "|" + about.value("title", "");
  const Bytes bytes(key.begin(), key.end());
  const fs::path folder = session.options().state / contentName(bytes);
  if (!fs::exists(folder)) return nullptr;
  auto journal = std::make_unique<Journal>(folder);
  if (journal->about().is_null() || journal->records().empty() || journal->records().back().op == "saved")
    return nullptr;
  return journal;
}

struct Opened {
  Json about;
  CharacterFile file;
};

Opened readSample(const Session& session, const std::string& name, const sinew::Progress& progress) {
  Opened opened;
  Sample sample = makeSample(name, {.vertices = static_cast<Index>(session.options().samplesVertices)}, progress);
  opened.file.character = std::move(sample.character);
  opened.about = {{"title", name}, {"path", ""}, {"kind", "sample"}};
  return opened;
}

Opened readFileOrFolder(const fs::path& path, const std::string& title) {
  Opened opened;
  opened.about = {{"title", title}, {"path", path.string()}, {"kind", "file"}};
  if (fs::is_directory(path)) {
    const std::vector<fs::path> meshes = meshSequence(path);
    const auto rest = restOfSequence(path);
    opened.file = readCharacter(rest ? *rest : meshes.front());
    opened.about["kind"] = "meshes";
    Json list = Json::array();
    for (const fs::path& mesh : meshes) list.push_back(mesh.string());
    opened.about["meshes"] = std::move(list);
    if (rest) opened.about["rest"] = rest->string();
    return opened;
  }
  opened.file = readCharacter(path);
  return opened;
}

Opened readWhat(Session& session, const std::string& what, const sinew::Progress& progress) {
  if (what.starts_with(kSample)) return readSample(session, what.substr(kSample.size()), progress);
  const fs::path path = session.confined(what);
  return readFileOrFolder(path, path.filename().string());
}

Json openCommand(Session& session, const Json& args) {
  const auto what = args.at("what").get<std::string>();
  const auto choice = args.value("unfinished", std::string("ask"));
  const fs::path path = what.starts_with(kSample) ? fs::path() : session.confined(what);
  const Json about{{"title", path.empty() ? what.substr(kSample.size()) : path.filename().string()},
                   {"path", path.string()}};
  if (choice != "discard") {
    if (auto journal = unfinished(session, about)) {
      if (choice == "ask") {
        return {{"unfinished", {{"what", what}, {"steps", journal->records().size()}}}};
      }
      session.resume(std::move(journal));
      return {{"opened", what}};
    }
  }
  auto opened = std::make_shared<Opened>();
  const std::uint32_t job = session.jobs().start(
      [&session, what, opened](const sinew::Progress& progress) { *opened = readWhat(session, what, progress); },
      [&session, what, opened](std::uint32_t id, const std::string& fault, bool cancelled) {
        session.post([&session, what, opened, id, fault, cancelled] {
          if (fault.empty()) session.adopt(opened->about, opened->file);
          session.sendEvent("job", {{"job", id}, {"what", "open"}, {"fault", fault}, {"cancelled", cancelled}});
        });
      });
  return {{"job", job}};
}

Json samplesCommand(Session& /*session*/, const Json& /*args*/) {
  Json list = Json::array();
  for (const SampleRow& row : samples()) {
    list.push_back({{"name", row.name},
                    {"description", row.description},
                    {"joints", row.joints},
                    {"examples", row.examples},
                    {"vertices", row.defaultVertices}});
  }
  return {{"samples", list}};
}

/// Folders and files that can be opened, of a folder below the root.
Json listCommand(Session& session, const Json& args) {
  const fs::path folder = session.confined(args.value("path", std::string(".")));
  if (!fs::is_directory(folder))
    throw CommandFault("not-found", fmt::format("{} is no folder", folder.string()), "Choose another.");
  Json entries = Json::array();
  std::vector<fs::directory_entry> found;
  for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied))
    found.push_back(entry);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path() < b.path(); });
  for (const auto& entry : found) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.')) continue;
    const std::string extension = entry.path().extension().string();
    const bool readable = std::any_of(formats().begin(), formats().end(), [&](const FormatRow& row) {
      return row.read != nullptr &&
             std::find(row.extensions.begin(), row.extensions.end(), extension) != row.extensions.end();
    });
    if (entry.is_directory() || readable)
      entries.push_back({{"name", name}, {"folder", entry.is_directory()}, {"path", entry.path().string()}});
  }
  return {{"path", folder.string()}, {"entries", entries}};
}

Json saveCommand(Session& session, const Json& args) {
  session.requireDocument();
  const auto wanted = args.value("path", session.document().path.string());
  if (wanted.empty()) throw CommandFault("no-path", "this character has no file yet", "Give a name that ends in .glb.");
  const fs::path path = session.confined(wanted);
  const LostList lost = writeCharacter(path, session.document().file);
  session.document().path = path;
  session.markSaved(path);
  return {{"path", path.string()}, {"lost", lost}};
}

Json describeCommand(Session& session, const Json& /*args*/) {
  return session.describe();
}

constexpr SessionCommand kCommands[] = {
    {"open", openCommand}, {"samples", samplesCommand},   {"files", listCommand},
    {"save", saveCommand}, {"describe", describeCommand},
};

}  // namespace

std::span<const SessionCommand> fileCommands() {
  return kCommands;
}

void openNow(Session& session, const std::string& what) {
  Opened opened = readWhat(session, what, {});
  if (auto journal = unfinished(session, opened.about)) {
    session.resume(std::move(journal));
  } else {
    session.adopt(opened.about, opened.file);
  }
}

}  // namespace sinew::studio
