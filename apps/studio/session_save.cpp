// Saving: what goes out of the studio. The journal hears before and after, so that it knows the file again.
#include <fmt/format.h>

#include "beside.h"
#include "session.h"
#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf_memory.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

bool isGltf(const fs::path& path) {
  return path.extension() == ".glb" || path.extension() == ".gltf";
}

/// The file that saving writes, where there is one: what was dropped, a folder and a format without a writer have none.
fs::path ownFile(Session& session) {
  const fs::path& path = session.document().path;
  if (session.journal().about().contains("from") && path == session.journal().about().value("path", "")) return {};
  return isGltf(path) ? path : fs::path();
}

void requireFree(Session& session, const fs::path& path, bool own) {
  const std::string name = path.filename().string();
  if (!fs::exists(path)) return;
  if (!own)
    throw CommandFault("exists", fmt::format("{} is there already", name), "Choose another name, or replace it.");
  if (fileState(session.journal(), contentOf(path)).changed)
    throw CommandFault("changed", fmt::format("{} was changed by another program since", name),
                       "Replace it, save under another name, or open it again.");
}

/// Returns the name of what was written.
std::string write(Session& session, const fs::path& path, LostList& lost) {
  if (!isGltf(path)) {
    lost = writeCharacter(path, session.document().file);
    return contentOf(path);
  }
  checkFolderWritable(path);
  const GltfFiles packed = gltfToMemory(path, session.document().file);
  lost = packed.lost;
  std::string content = contentOf(packed.files);
  // Whoever finds this file after a crash shall know that it is ours.
  session.journal().append("saving", {{"path", path.string()}, {"content", content}});
  writeFiles(packed.files);
  return content;
}

/// {"path": where, or the document's own file, "replace"}.
Json saveCommand(Session& session, const Json& args) {
  session.requireDocument();
  const auto wanted = args.value("path", std::string());
  if (wanted.starts_with("upload:")) throw CommandFault("bad-input", "a file that was dropped cannot be saved to");
  const fs::path own = ownFile(session);
  if (wanted.empty() && own.empty())
    throw CommandFault("no-path", "this character has no file yet", "Give a name that ends in .glb.");
  const fs::path path = wanted.empty() ? own : session.confined(wanted);
  if (!args.value("replace", false)) requireFree(session, path, path == own);
  LostList lost;
  const std::string content = write(session, path, lost);
  session.markSaved(path, content);
  return {{"path", path.string()}, {"lost", lost}};
}

constexpr SessionCommand kCommands[] = {{"save", saveCommand}};

}  // namespace

std::span<const SessionCommand> saveCommands() {
  return kCommands;
}

void Session::markSaved(const fs::path& path, const std::string& content) {
  journal().append("saved", {{"path", path.string()}, {"content", content}});
  saved_ = true;
  document_.path = path;
  document_.title = path.filename().string();
  if (isGltf(path) && path.string() != journal().about().value("path", "")) {
    // The history belongs to the file that has all of it now.
    Json about = journal().about();
    about.update({{"path", path.string()}, {"title", document_.title}, {"content", content}});
    about.erase("from");
    const fs::path folder = journalFolder(options_, about);
    const std::string before = journal_->folder().filename().string();
    auto lock = std::make_unique<FolderLock>(folder, document_.title);
    journal_->rename(about);
    journal_->moveTo(folder);
    lock_ = std::move(lock);
    renameBeside(options_.state, about, before, folder.filename().string());
  }
  beside_ = documentsBeside(options_.state, journal_->folder().filename().string(), journal_->about());
  sendEvent("saved", {{"path", path.string()}, {"title", document_.title}, {"beside", beside_}});
}

}  // namespace sinew::studio
