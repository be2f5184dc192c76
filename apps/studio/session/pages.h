// The pages of a session: the newest one controls it, the others are read-only.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "studio/net/server.h"

namespace sinew::studio {

/// Thread-safe.
class Pages {
 public:
  /// The page takes control. True if another one had it; that one is notified. Beyond kMostPages the oldest page is
  /// closed.
  bool add(const ConnectionPtr& page);
  /// True if it had control.
  bool remove(const ConnectionPtr& page);
  void clear();

  [[nodiscard]] bool steers(const ConnectionPtr& page);
  /// Another page has taken control. False for a page that has disconnected: its last messages are still handled.
  [[nodiscard]] bool looksOn(const ConnectionPtr& page);

  void sendText(const std::string& text);
  void sendBinary(const Bytes& message);

  /// Keeps a warning for the first page. False if a page is connected: it gets the warning immediately.
  bool keepWarning(const std::string& text);
  std::vector<std::string> takeWarnings();

 private:
  std::mutex mutex_;
  std::vector<ConnectionPtr> pages_;
  std::vector<std::string> warnings_;
};

}  // namespace sinew::studio
