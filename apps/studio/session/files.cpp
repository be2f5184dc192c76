// Opening and listing files.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sinew/base/error.h"
#include "sinew/samples/samples.h"
#include "studio/document/beside.h"
#include "studio/document/file_state.h"
#include "studio/document/state_folder.h"
#include "studio/session/opening.h"
#include "studio/session/session.h"

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
  [[nodiscard]] Json toJson(const std::string& what) const {
    return {{"what", what}, {"steps", state.unsaved}, {"changed", state.changed}, {"damaged", damage}};
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

OpenRequest requestFor(Session& session, const std::string& what, const std::vector<std::string>& skip, Json& about) {
  OpenRequest request;
  request.what = what;
  request.skip = skip;
  request.sampleVertices = session.options().samplesVertices;
  request.modes = session.options().modes;
  if (!what.starts_with(kSamplePrefix)) request.path = session.confined(what);
  request.rules = session.rulesFor(request.path);
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

Json verdictsOf(const Opened& opened) {
  Json list = Json::array();
  for (std::size_t i = 0; i < opened.verdicts.size(); ++i) {
    const std::string& fault = opened.verdicts[i];
    list.push_back({{"name", opened.verdictNames[i]}, {"ok", fault.empty()}, {"text", fault.empty() ? "fits" : fault}});
  }
  return list;
}

Json refusedOf(const Opened& opened) {
  Json list = Json::array();
  for (std::size_t i = 0; i < opened.verdicts.size(); ++i) {
    if (!opened.verdicts[i].empty()) list.push_back(opened.verdictNames[i]);
  }
  return list;
}

/// On the worker, once the job has ended.
void finishOpening(Session& session, std::uint32_t job, const OpenRequest& request, std::string fault, Opened& opened) {
  Json event{{"job", job},         {"what", "open"}, {"opened", request.what}, {"skipped", request.skip},
             {"cancelled", false}, {"hint", ""}};
  event["verdicts"] = verdictsOf(opened);
  event["refused"] = refusedOf(opened);
  if (fault.empty() && opened.journal) {
    try {
      session.take(std::move(opened));
    } catch (const std::exception& error) {
      fault = error.what();
    }
  } else if (fault.empty()) {
    fault = faultOf(opened);
    event["hint"] = "Skip it, or export it again without changing its vertices.";
  }
  event["fault"] = fault;
  session.sendEvent("job", std::move(event));
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
          session.sendEvent(
              "job",
              {{"job", job}, {"what", "open"}, {"opened", request.what}, {"fault", "cancelled"}, {"cancelled", true}});
        });
      },
      Cancelling::AtOnce);
  return session.opening();
}

/// A related document of the open one, with all its steps.
Json switchTo(Session& session, const std::string& what) {
  const std::string name = what.substr(kKept.size());
  const fs::path folder = session.options().state / name;
  const bool isName =
      !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
  if (!isName || !aboutOf(folder).is_object())
    throw CommandFault("not-found", "this document is no longer open", "Open its file.");
  if (session.hasDocument() && session.journal().folder() == folder) return {{"opened", what}};
  OpenRequest request;
  request.what = what;
  request.resume = folder;
  request.modes = session.options().modes;
  return {{"job", startOpening(session, request)}};
}

/// {"what", "unfinished": "ask" | "continue" | "discard", "skip": [names of meshes]}. Answers with a job, or with
/// the decision that is needed first: continue with the stored steps, or start from the file.
Json openCommand(Session& session, const Json& args) {
  const auto what = args.at("what").get<std::string>();
  if (what.starts_with(kKept)) return switchTo(session, what);
  const auto choice = args.value("unfinished", std::string("ask"));
  Json about;
  OpenRequest request = requestFor(session, what, args.value("skip", std::vector<std::string>()), about);
  if (choice != "discard") {
    if (const auto kept = keptOf(session, about)) {
      if (choice == "ask" && kept->asks()) return {{"unfinished", kept->toJson(what)}};
      if (session.hasDocument() && session.journal().folder() == kept->folder) {
        session.sendEvent("document", session.describe());
        return {{"opened", what}};
      }
      request.resume = kept->folder;
      request.about = about;
    }
  }
  return {{"job", startOpening(session, request)}};
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

/// The folders, and the files that can be opened, in a folder below the root.
Json listCommand(Session& session, const Json& args) {
  const fs::path folder = session.confined(args.value("path", std::string(".")));
  if (!fs::is_directory(folder))
    throw CommandFault("not-found", fmt::format("{} is not a folder", folder.string()), "Choose another.");
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
      return isReadable(row, session.options().rules) &&
             std::find(row.extensions.begin(), row.extensions.end(), extension) != row.extensions.end();
    });
    if (entry.is_directory() || readable)
      entries.push_back({{"name", name}, {"folder", entry.is_directory()}, {"path", entry.path().string()}});
  }
  const fs::path home = fs::weakly_canonical(session.options().root);
  return {
      {"path", folder.string()}, {"parent", folder == home ? "" : folder.parent_path().string()}, {"entries", entries}};
}

Json describeCommand(Session& session, const Json& /*args*/) {
  return session.describe();
}

constexpr SessionCommand kFileCommands[] = {
    {"open", openCommand},
    {"samples", samplesCommand, CommandKind::Look},
    {"files", listCommand, CommandKind::Look},
    {"describe", describeCommand, CommandKind::Look},
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
  if (kept && kept->asks()) session.tellResumed(kept->toJson(what));
}

}  // namespace sinew::studio
