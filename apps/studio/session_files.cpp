// Opening, listing, saving: what goes in and out of the studio.
#include <fmt/format.h>

#include <algorithm>

#include "session.h"
#include "sinew/base/error.h"
#include "sinew/base/progress.h"
#include "sinew/samples/samples.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSample = "sample:";
constexpr std::string_view kUpload = "upload:";

/// The journal of what was opened before under this name, where it holds steps that were not saved.
std::unique_ptr<Journal> unfinished(const Session& session, const Json& about) {
  const fs::path folder = journalFolder(session.options(), about);
  if (!fs::exists(folder)) return nullptr;
  auto journal = std::make_unique<Journal>(folder);
  if (journal->about().is_null() || journal->records().empty() || journal->records().back().op == "saved")
    return nullptr;
  return journal;
}

struct Opened {
  Json about;
  CharacterFile file;
  Json verdicts = Json::array();  ///< of each mesh of a folder
  Json refused = Json::array();   ///< names of those that do not fit
};

Opened readSample(const Session& session, const std::string& name, const sinew::Progress& progress) {
  Opened opened;
  Sample sample = makeSample(name, {.vertices = static_cast<Index>(session.options().samplesVertices)}, progress);
  opened.file.character = std::move(sample.character);
  opened.about = {{"title", name}, {"path", ""}, {"kind", "sample"}};
  return opened;
}

/// What is wrong with a mesh beside the first, or nothing.
std::string differenceOf(const Mesh& mesh, const Mesh& first, const std::string& firstName) {
  if (mesh.vertexCount() != first.vertexCount())
    return fmt::format("has {} vertices, {} has {}", mesh.vertexCount(), firstName, first.vertexCount());
  if (mesh.faces.size() != first.faces.size())
    return fmt::format("has {} faces, {} has {}", mesh.faces.size(), firstName, first.faces.size());
  if (mesh.faces.start != first.faces.start || mesh.faces.corner != first.faces.corner)
    return fmt::format("joins its vertices in another order than {}", firstName);
  return {};
}

/// Every mesh of a folder is read once, so that one that does not fit is named now and not in the middle of learning.
Opened readFolder(const fs::path& path, const std::string& title, const sinew::Progress& progress) {
  const std::vector<fs::path> meshes = meshSequence(path);
  const auto rest = restOfSequence(path);
  const fs::path& first = rest ? *rest : meshes.front();
  Opened opened;
  opened.file = readCharacter(first);
  opened.about = {{"title", title}, {"path", path.string()}, {"kind", "meshes"}};
  Json list = Json::array();
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const std::string name = meshes[i].filename().string();
    report(progress, {static_cast<double>(i) / static_cast<double>(meshes.size()), "reading"});
    std::string fault;
    try {
      if (meshes[i] != first)
        fault = differenceOf(readCharacter(meshes[i]).character.mesh, opened.file.character.mesh,
                             first.filename().string());
    } catch (const Error& error) {
      fault = error.what();
    }
    opened.verdicts.push_back({{"name", name}, {"ok", fault.empty()}, {"text", fault.empty() ? "fits" : fault}});
    if (!fault.empty()) opened.refused.push_back(name);
    list.push_back(meshes[i].string());
  }
  opened.about["meshes"] = std::move(list);
  if (rest) opened.about["rest"] = rest->string();
  return opened;
}

Opened readFileOrFolder(const fs::path& path, const std::string& title, const sinew::Progress& progress) {
  if (fs::is_directory(path)) return readFolder(path, title, progress);
  Opened opened;
  opened.about = {{"title", title}, {"path", path.string()}, {"kind", "file"}};
  opened.file = readCharacter(path);
  return opened;
}

/// `path` is where `what` lies; the names of uploads belong to the worker, and this may run beside it.
Opened readWhat(const Session& session, const std::string& what, const fs::path& path,
                const sinew::Progress& progress) {
  if (what.starts_with(kSample)) return readSample(session, what.substr(kSample.size()), progress);
  Opened opened = readFileOrFolder(path, path.filename().string(), progress);
  if (what.starts_with(kUpload)) opened.about["from"] = what;
  return opened;
}

/// A sentence for a folder in which not all meshes fit.
std::string faultOf(const Opened& opened) {
  for (const Json& verdict : opened.verdicts) {
    if (!verdict["ok"].get<bool>())
      return fmt::format("{} {}: example meshes need the same vertices in the same order",
                         verdict["name"].get<std::string>(), verdict["text"].get<std::string>());
  }
  return {};
}

Json openCommand(Session& session, const Json& args) {
  const auto what = args.at("what").get<std::string>();
  const auto choice = args.value("unfinished", std::string("ask"));
  const fs::path path = what.starts_with(kSample) ? fs::path() : session.confined(what);
  Json about{{"title", path.empty() ? what.substr(kSample.size()) : path.filename().string()}, {"path", path.string()}};
  if (what.starts_with(kUpload)) about["from"] = what;
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
      [&session, what, path, opened](const sinew::Progress& progress) {
        *opened = readWhat(session, what, path, progress);
      },
      [&session, what, opened](std::uint32_t id, const std::string& fault, bool cancelled) {
        session.post([&session, what, opened, id, fault, cancelled] {
          if (fault.empty() && opened->refused.empty()) session.adopt(opened->about, opened->file);
          session.sendEvent("job", {{"job", id},
                                    {"what", "open"},
                                    {"opened", what},
                                    {"fault", fault.empty() ? faultOf(*opened) : fault},
                                    {"hint", opened->refused.empty() ? ""
                                                                     : "Take it out of the folder, or export it "
                                                                       "again without changing its vertices."},
                                    {"verdicts", opened->verdicts},
                                    {"refused", opened->refused},
                                    {"cancelled", cancelled}});
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
  const fs::path home = fs::weakly_canonical(session.options().root);
  return {
      {"path", folder.string()}, {"parent", folder == home ? "" : folder.parent_path().string()}, {"entries", entries}};
}

/// The file that saving writes, where there is one: what was dropped, a folder and a format without a writer have none.
fs::path ownFile(Session& session) {
  const fs::path& path = session.document().path;
  const std::string extension = path.extension().string();
  if (session.journal().about().contains("from") && path == session.journal().about().value("path", "")) return {};
  return extension == ".glb" || extension == ".gltf" ? path : fs::path();
}

Json saveCommand(Session& session, const Json& args) {
  session.requireDocument();
  const auto wanted = args.value("path", std::string());
  if (wanted.starts_with(kUpload)) throw CommandFault("bad-input", "a file that was dropped cannot be saved to");
  const fs::path own = ownFile(session);
  if (wanted.empty() && own.empty())
    throw CommandFault("no-path", "this character has no file yet", "Give a name that ends in .glb.");
  const fs::path path = wanted.empty() ? own : session.confined(wanted);
  if (path != own && fs::exists(path) && !args.value("replace", false))
    throw CommandFault("exists", fmt::format("{} is there already", path.filename().string()),
                       "Choose another name, or replace it.");
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

fs::path journalFolder(const SessionOptions& options, const Json& about) {
  // What was dropped lies in another folder every time.
  const std::string key = about.value("from", about.value("path", "")) + "|" + about.value("title", "");
  return options.state / contentName(Bytes(key.begin(), key.end()));
}

void openNow(Session& session, const std::string& what) {
  const fs::path path = what.starts_with(kSample) ? fs::path() : session.confined(what);
  Opened opened = readWhat(session, what, path, {});
  if (!opened.refused.empty()) throw Error(ErrorCode::BadInput, faultOf(opened), what);
  if (auto journal = unfinished(session, opened.about)) {
    session.resume(std::move(journal));
  } else {
    session.adopt(opened.about, opened.file);
  }
}

}  // namespace sinew::studio
