// Answers to requests: the greeting of a page, blobs by name, uploads.
#include <fmt/format.h>

#include <future>
#include <utility>

#include "studio/session/session.h"

namespace sinew::studio {
namespace {

/// File names may contain any bytes.
std::string textOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

wire::HelloAnswer Session::hello(const wire::HelloCommand& asked) {
  if (asked.protocol != kProtocolVersion)
    throw CommandFault("protocol",
                       fmt::format("the page speaks protocol {}, the studio {}", asked.protocol, kProtocolVersion),
                       "Reload the page.");
  return {.testHooks = options_.testHooks,
          .root = options_.root.string(),
          .resumed = std::exchange(resumed_, std::nullopt),
          .warnings = pages_.takeWarnings(),
          .jobs = running_.list(),
          .document = describe()};
}

Json Session::debugState() {
  Json state = describe();
  if (!journal_) return state;
  Json views = Json::array();
  for (const Pose& pose : document_.views) views.push_back(toJson(pose));
  state["views"] = std::move(views);
  state["weightsName"] = blobs_.put(weightsBlob(document_));
  return state;
}

HttpResponse Session::request(const HttpRequest& one) {
  constexpr std::string_view kBlobPath = "/blob/";
  if (one.path.starts_with(kBlobPath)) {
    auto blob = blobs_.find(one.path.substr(kBlobPath.size()));
    if (!blob) return {404, "text/plain; charset=utf-8", "no such blob\n", nullptr, false};
    return {200, "application/octet-stream", {}, std::move(blob), true};
  }
  constexpr std::string_view kUploadPath = "/upload/";
  if (one.path.starts_with(kUploadPath) && !one.bodyFile.empty()) {
    // The worker owns the names. The page gets this answer before it opens what it sent.
    namespace fs = std::filesystem;
    const std::string name = fs::path(one.path.substr(kUploadPath.size())).relative_path().string();
    const fs::path folder = options_.uploads / "files";
    const fs::path kept = folder / name;
    fs::create_directories(kept.parent_path());
    fs::rename(one.bodyFile, kept);
    post([this, name, folder, kept] {
      uploads_["upload:" + name] = kept.string();
      for (fs::path up = fs::path(name).parent_path(); !up.empty(); up = up.parent_path())
        uploads_["upload:" + up.string()] = (folder / up).string();
    });
    return {200, "application/json", textOf({{"name", "upload:" + name}}), nullptr, false};
  }
  if (one.path == "/debug/state" && options_.testHooks) {
    // The worker answers, so that the state is consistent.
    auto answer = std::make_shared<std::promise<Json>>();
    post([this, answer] {
      try {
        answer->set_value(debugState());
      } catch (...) {
        answer->set_exception(std::current_exception());
      }
    });
    return {200, "application/json", textOf(answer->get_future().get()), nullptr, false};
  }
  return {404, "text/plain; charset=utf-8", "not found\n", nullptr, false};
}

}  // namespace sinew::studio
