#include "studio/session/pages.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "studio/bounds.h"
#include "studio/events.h"

namespace sinew::studio {

bool Pages::add(const ConnectionPtr& page) {
  const std::scoped_lock lock(mutex_);
  const bool takesOver = !pages_.empty();
  if (takesOver) pages_.back()->sendText(nlohmann::json{{"event", wire::TakenOverEvent::kName}}.dump());
  if (pages_.size() >= kMostPages) pages_.front()->close("too many pages are open");
  pages_.push_back(page);
  return takesOver;
}

bool Pages::remove(const ConnectionPtr& page) {
  const std::scoped_lock lock(mutex_);
  const bool steered = !pages_.empty() && pages_.back() == page;
  std::erase(pages_, page);
  return steered;
}

void Pages::clear() {
  const std::scoped_lock lock(mutex_);
  pages_.clear();
}

bool Pages::steers(const ConnectionPtr& page) {
  const std::scoped_lock lock(mutex_);
  return !pages_.empty() && pages_.back() == page;
}

bool Pages::looksOn(const ConnectionPtr& page) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find(pages_.begin(), pages_.end(), page);
  return found != pages_.end() && *found != pages_.back();
}

void Pages::sendText(const std::string& text) {
  const std::scoped_lock lock(mutex_);
  for (const ConnectionPtr& page : pages_) page->sendText(text);
}

void Pages::sendBinary(const Bytes& message) {
  const std::scoped_lock lock(mutex_);
  for (const ConnectionPtr& page : pages_) page->sendBinary(message);
}

bool Pages::keepWarning(const std::string& text) {
  const std::scoped_lock lock(mutex_);
  if (!pages_.empty()) return false;
  warnings_.push_back(text);
  return true;
}

std::vector<std::string> Pages::takeWarnings() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(warnings_, {});
}

}  // namespace sinew::studio
