// Saving. The journal records it before and after, so that it recognises the file later.
#include <fmt/format.h>

#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"
#include "studio/document/beside.h"
#include "studio/document/file_state.h"
#include "studio/session/session_command.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

/// The file that saving writes. Empty for dropped files, folders, and formats that are not written.
fs::path ownFile(Session& session) {
  const fs::path& path = session.document().path;
  if (session.journal().about().contains("from") && path == session.journal().about().value("path", "")) return {};
  return isGltf(path) ? path : fs::path();
}

void requireFree(Session& session, const fs::path& path, bool own) {
  const std::string name = path.filename().string();
  if (!fs::exists(path)) return;
  if (!own) throw CommandFault("exists", fmt::format("{} already exists", name), "Choose another name, or replace it.");
  if (fileState(session.journal(), path, contentOf(path)).changed)
    throw CommandFault("changed", fmt::format("{} was changed by another program", name),
                       "Replace it, save under another name, or open it again.");
}

/// Returns the content hash of the written file. Saving continues if the journal cannot record it because its disk is
/// full.
std::string write(Session& session, const fs::path& path, LostList& lost) {
  if (!isGltf(path)) {
    lost = writeCharacter(path, session.document().file);
    return contentOf(path);
  }
  checkFolderWritable(path);
  const GltfFiles packed = gltfToMemory(path, session.document().file);
  lost = packed.lost;
  std::string content = contentOf(packed);
  // After a crash the journal recognises this file as its own.
  session.journal().note("saving", {{"path", path.string()}, {"content", content}});
  writeGltfFiles(packed);
  return content;
}

wire::SaveAnswer saveCommand(Session& session, const wire::SaveCommand& asked) {
  session.requireDocument();
  const std::string& wanted = asked.path;
  if (wanted.starts_with("upload:")) throw CommandFault("bad-input", "a file that was dropped cannot be saved to");
  const fs::path own = ownFile(session);
  if (wanted.empty() && own.empty())
    throw CommandFault("no-path", "this character has no file yet", "Give a name that ends in .glb.");
  const fs::path path = wanted.empty() ? own : session.confined(wanted);
  if (!asked.replace) requireFree(session, path, path == own);
  SavedPlace place = session.placeFor(path);
  LostList lost;
  const std::string content = write(session, path, lost);
  session.markSaved(std::move(place), path, content);
  return {.path = path.string(), .lost = lost};
}

constexpr SessionCommand kSaveCommands[] = {sessionCommand<saveCommand>()};

}  // namespace

std::span<const SessionCommand> saveCommands() {
  return kSaveCommands;
}

SavedPlace Session::placeFor(const fs::path& path) {
  SavedPlace place;
  if (!isGltf(path) || path.string() == journal().about().value("path", "")) return place;
  // The history belongs to the file that contains all its steps.
  place.about = journal().about();
  place.about.update({{"path", path.string()}, {"title", path.filename().string()}});
  place.about.erase("from");
  place.folder = journalFolder(options_, place.about);
  try {
    if (place.folder != journal_->folder())
      place.lock = std::make_unique<FolderLock>(place.folder, path.filename().string());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::Unwritable) throw;
    place.about = nullptr;  // the disk is full: it is not moved
  }
  return place;
}

void Session::markSaved(SavedPlace place, const fs::path& path, const std::string& content) {
  journal().note("saved", {{"path", path.string()}, {"content", content}});
  saved_ = true;
  document_.path = path;
  document_.title = path.filename().string();
  if (!place.about.is_null()) {
    const Json aboutBefore = journal_->about();
    const std::string before = journal_->folder().filename().string();
    place.about["content"] = content;
    try {
      journal_->rename(place.about);
      journal_->moveTo(place.folder);
      if (place.lock) lock_ = std::move(place.lock);
      renameBeside(options_.state, place.about, before, place.folder.filename().string());
    } catch (const Error& error) {
      // The file is complete; its history stays under the old name until the next save.
      log(error.what());
      try {
        if (journal_->folder() != place.folder) journal_->rename(aboutBefore);
      } catch (const Error& again) {
        log(again.what());
      }
    }
  }
  beside_ = documentsBeside(options_.state, journal_->folder().filename().string(), journal_->about());
  tell(wire::SavedEvent{.path = path.string(), .title = document_.title, .beside = beside_});
}

}  // namespace sinew::studio
