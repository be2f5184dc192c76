// Opening and listing files.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>

#include "sinew/base/error.h"
#include "sinew/io/file_rules.h"
#include "sinew/io/gltf.h"
#include "sinew/samples/samples.h"
#include "studio/document/beside.h"
#include "studio/document/file_state.h"
#include "studio/document/state_folder.h"
#include "studio/session/opening.h"
#include "studio/session/session_command.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

/// A journal of an earlier session: steps that can be undone, and perhaps unsaved ones.
struct Kept {
  fs::path folder;
  FileState state;
  std::string damage;

  /// Whether the user must decide.
  [[nodiscard]] bool asks() const { return state.unsaved > 0 || state.changed || !damage.empty(); }
  [[nodiscard]] wire::Unfinished asOffer(const std::string& what) const {
    return {what, static_cast<std::uint32_t>(state.unsaved), state.changed, damage};
  }
};

std::optional<Kept> keptOf(Session& session, const Json& about) {
  const fs::path folder = journalFolder(session.options(), about);
  const fs::path path = about.value("path", "");
  const std::string content = path.empty() || about.contains("from") ? std::string() : contentOf(path);
  // A journal without steps is kept if it has related models.
  const auto isWorthIt = [](const Journal& journal) {
    return !journal.about().is_null() &&
           (journal.size() > 0 || !journal.damage().empty() || journal.about().contains("beside"));
  };
  if (session.hasDocument() && session.journal().folder() == folder) {
    if (!isWorthIt(session.journal())) return std::nullopt;
    return Kept{folder, fileState(session.journal(), path, content), {}};
  }
  if (!fs::exists(folder)) return std::nullopt;
  Journal journal(folder, about);
  if (!isWorthIt(journal)) return std::nullopt;
  Kept kept{folder, fileState(journal, path, content), journal.damage()};
  if (kept.state.savedUntold) journal.note("saved", {{"path", path.string()}, {"content", content}});
  return kept;
}

/// Two studios must not write to one file. Samples and dropped files have none, so each gets its own journal.
void chooseSlot(Session& session, OpenRequest& request, Json& about) {
  constexpr int kMostSlots = 16;
  for (;;) {
    const fs::path folder = journalFolder(session.options(), about);
    if (session.hasDocument() && session.journal().folder() == folder) return;
    try {
      const FolderLock probe(folder, about.value("title", ""));
      return;
    } catch (const Error&) {
      const bool shared = request.path.empty() || about.contains("from");
      if (!shared || request.slot == kMostSlots) throw;
      about["slot"] = ++request.slot;
    }
  }
}

/// Whether the examples of a file have poses: others are meshes of one object, without a skeleton. The first one tells.
bool havePoses(const fs::path& path) {
  constexpr std::size_t kFirst = 65536;
  std::string text(kFirst, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(toSize(file.gcount()));
  return text.find("\"pose\"") != std::string::npos || text.find("\"clip\"") != std::string::npos;
}

/// The character of a folder that holds examples for it, as `sinew sample` writes them; other folders are sequences of
/// meshes and stay as they are.
fs::path characterOf(const fs::path& path) {
  std::error_code fault;
  const fs::path examples = path / "examples.json";
  if (!fs::is_directory(path, fault) || !fs::is_regular_file(examples, fault) || !havePoses(examples)) return path;
  std::vector<fs::path> characters;
  for (const auto& entry : fs::directory_iterator(path, fault)) {
    if (isGltf(entry.path()) && entry.is_regular_file(fault)) characters.push_back(entry.path());
  }
  return characters.size() == 1 ? characters.front() : path;
}

OpenRequest requestFor(Session& session, const std::string& what, const std::vector<std::string>& skip, Json& about) {
  OpenRequest request;
  request.what = what;
  request.skip = skip;
  request.sampleVertices = session.options().samplesVertices;
  request.modes = session.options().modes;
  if (!what.starts_with(kSamplePrefix)) request.path = characterOf(session.confined(what));
  request.rules = session.rulesFor(request.path);
  // The character of a folder may be a link.
  if (!request.path.empty()) checkInside(request.path, request.rules);
  about = {{"title", request.path.empty() ? what.substr(kSamplePrefix.size()) : request.path.filename().string()},
           {"path", request.path.string()}};
  if (what.starts_with(kUploadPrefix)) about["from"] = what;
  chooseSlot(session, request, about);
  request.folder = session.newFolder(journalFolder(session.options(), about));
  return request;
}

/// A sentence for a folder in which not all meshes fit.
std::string faultOf(const Opened& opened) {
  for (std::size_t i = 0; i < opened.verdicts.size(); ++i) {
    if (!opened.verdicts[i].empty())
      return fmt::format("{} {}: example meshes need the same vertices in the same order", opened.verdictNames[i],
                         opened.verdicts[i]);
  }
  return {};
}

std::vector<wire::Verdict> verdictsOf(const Opened& opened) {
  std::vector<wire::Verdict> list;
  for (std::size_t i = 0; i < opened.verdicts.size(); ++i) {
    const std::string& fault = opened.verdicts[i];
    list.push_back({opened.verdictNames[i], fault.empty(), fault.empty() ? "fits" : fault});
  }
  return list;
}

std::vector<std::string> refusedOf(const Opened& opened) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < opened.verdicts.size(); ++i) {
    if (!opened.verdicts[i].empty()) list.push_back(opened.verdictNames[i]);
  }
  return list;
}

/// On the worker, once the job has ended.
void finishOpening(Session& session, std::uint32_t job, const OpenRequest& request, std::string fault, Opened& opened) {
  session.runningJobs().ended(job);
  wire::JobEvent event{.job = job, .what = "open", .opened = request.what, .skipped = request.skip};
  event.verdicts = verdictsOf(opened);
  event.refused = refusedOf(opened);
  if (fault.empty() && opened.journal) {
    try {
      // The open document was saved under this name while its journal was read: it has the steps that were made since.
      const bool open = session.hasDocument() && opened.journal->folder() == session.journal().folder();
      if (open) {
        session.sendEvent(wire::DocumentEvent::kName, session.describe());
      } else {
        session.take(std::move(opened));
      }
    } catch (const std::exception& error) {
      fault = error.what();
    }
  } else if (fault.empty()) {
    fault = faultOf(opened);
    event.hint = "Skip it, or export it again without changing its vertices.";
  }
  event.fault = fault;
  session.tell(event);
}

std::uint32_t startOpening(Session& session, const OpenRequest& request) {
  session.jobs().cancel(session.opening());  // an earlier one is no longer wanted
  auto opened = std::make_shared<Opened>();
  BlobStore& blobs = session.blobs();
  session.opening() = session.jobs().start(
      [request, opened, &blobs](const sinew::Progress& progress) { *opened = openDocument(request, blobs, progress); },
      [&session, request, opened](std::uint32_t job, const std::string& fault, bool cancelled) {
        session.post([&session, request, opened, job, fault, cancelled] {
          if (!cancelled) return finishOpening(session, job, request, fault, *opened);
          session.runningJobs().ended(job);
          session.tell(wire::JobEvent{
              .job = job, .what = "open", .fault = "cancelled", .cancelled = true, .opened = request.what});
        });
      },
      Cancelling::AtOnce);
  session.runningJobs().started(session.opening(), "open",
                                fmt::format("Opening {}", fs::path(request.what).filename().string()));
  return session.opening();
}

/// A related document of the open one, with all its steps.
wire::OpenAnswer switchTo(Session& session, const std::string& what) {
  const std::string name = what.substr(kKept.size());
  const fs::path folder = session.options().state / name;
  const bool isName =
      !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
  if (!isName || !aboutOf(folder).is_object())
    throw CommandFault("not-found", "this document is no longer open", "Open its file.");
  if (session.hasDocument() && session.journal().folder() == folder) return {};
  OpenRequest request;
  request.what = what;
  request.resume = folder;
  request.modes = session.options().modes;
  return {.job = startOpening(session, request)};
}

/// Answers with a job, or with the decision that is needed first: continue with the stored steps, or start from the
/// file.
wire::OpenAnswer openCommand(Session& session, const wire::OpenCommand& asked) {
  const std::string& what = asked.what;
  if (what.starts_with(kKept)) return switchTo(session, what);
  const std::string& choice = asked.unfinished;
  Json about;
  OpenRequest request = requestFor(session, what, asked.skip, about);
  if (choice != "discard") {
    if (const auto kept = keptOf(session, about)) {
      if (choice == "ask" && kept->asks()) return {.unfinished = kept->asOffer(what)};
      if (session.hasDocument() && session.journal().folder() == kept->folder) {
        session.sendEvent(wire::DocumentEvent::kName, session.describe());
        return {};
      }
      request.resume = kept->folder;
      request.about = about;
    }
  }
  return {.job = startOpening(session, request)};
}

wire::SamplesAnswer samplesCommand(Session& session, const wire::SamplesCommand& /*asked*/) {
  const auto u32 = [](auto number) { return static_cast<std::uint32_t>(number); };
  wire::SamplesAnswer answer;
  for (const SampleRow& row : samples()) {
    const fs::path& pictures = session.options().samplePictures;
    std::error_code fault;
    const bool pictured = !pictures.empty() && fs::exists(pictures / fmt::format("{}.png", row.name), fault);
    answer.samples.push_back(
        {std::string(row.name), std::string(row.description), u32(row.joints), u32(row.defaultVertices), pictured});
  }
  return answer;
}

/// Sizes and dates that cannot be read are 0: the file may be gone by now.
wire::FileEntry entryOf(const fs::directory_entry& entry) {
  wire::FileEntry row{entry.path().filename().string(), entry.is_directory(), entry.path().string()};
  std::error_code fault;
  if (const auto bytes = entry.file_size(fault); !row.folder && !fault) row.bytes = static_cast<double>(bytes);
  if (const auto time = entry.last_write_time(fault); !fault) {
    const auto since1970 = std::chrono::file_clock::to_sys(time).time_since_epoch();
    row.modified = std::chrono::duration<double>(since1970).count();
  }
  return row;
}

/// The folders, and the files that can be opened, in a folder below the root: folders first, each in the order of
/// names.
wire::FilesAnswer listCommand(Session& session, const wire::FilesCommand& asked) {
  const fs::path folder = session.confined(asked.path);
  if (!fs::is_directory(folder))
    throw CommandFault("not-found", fmt::format("{} is not a folder", folder.string()), "Choose another.");
  wire::FilesAnswer answer{.path = folder.string()};
  std::vector<fs::directory_entry> found;
  for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied))
    found.push_back(entry);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(!a.is_directory(), a.path()) < std::pair(!b.is_directory(), b.path());
  });
  for (const auto& entry : found) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.')) continue;
    const std::string extension = entry.path().extension().string();
    const bool readable = std::any_of(formats().begin(), formats().end(), [&](const FormatRow& row) {
      return isReadable(row, session.options().rules) &&
             std::find(row.extensions.begin(), row.extensions.end(), extension) != row.extensions.end();
    });
    if (entry.is_directory() || readable) answer.entries.push_back(entryOf(entry));
  }
  const fs::path home = fs::weakly_canonical(session.options().root);
  if (folder != home) answer.parent = folder.parent_path().string();
  return answer;
}

Json describeCommand(Session& session, const wire::DescribeCommand& /*asked*/) {
  return session.describe();
}

constexpr SessionCommand kFileCommands[] = {
    sessionCommand<openCommand>(),
    sessionCommand<samplesCommand>(),
    sessionCommand<listCommand>(),
    sessionCommand<describeCommand>(),
};

}  // namespace

std::span<const SessionCommand> fileCommands() {
  return kFileCommands;
}

fs::path journalFolder(const SessionOptions& options, const Json& about) {
  return options.state / journalName(about);
}

void openNow(Session& session, const std::string& what) {
  Json about;
  OpenRequest request = requestFor(session, what, {}, about);
  const auto kept = keptOf(session, about);
  if (kept) request.resume = kept->folder;
  request.about = about;
  Opened opened = openDocument(request, session.blobs(), {});
  if (!opened.journal) throw Error(ErrorCode::BadInput, faultOf(opened), what);
  session.take(std::move(opened));
  // There is no page to ask: the stored steps are continued, and the first page is notified.
  if (kept && kept->asks()) session.tellResumed(kept->asOffer(what));
}

}  // namespace sinew::studio
