// The pages of a session: the newest steers, the others look on.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "studio/net/server.h"

namespace sinew::studio {

/// Safe to use from several threads.
class Pages {
 public:
  /// The page steers from now on. True where another one did: it is told that it was taken over. The oldest is closed
  /// where there would be more than kMostPages.
  bool add(const ConnectionPtr& page);
  /// True where it steered.
  bool remove(const ConnectionPtr& page);
  void clear();

  [[nodiscard]] bool steers(const ConnectionPtr& page);
  /// Another page has taken over. One that has gone since may have its last wish.
  [[nodiscard]] bool looksOn(const ConnectionPtr& page);

  void sendText(const std::string& text);
  void sendBinary(const Bytes& message);

  /// Keeps a warning for the first page. False where there is one already: it is told at once.
  bool keepWarning(const std::string& text);
  std::vector<std::string> takeWarnings();

 private:
  std::mutex mutex_;
  std::vector<ConnectionPtr> pages_;
  std::vector<std::string> warnings_;
};

}  // namespace sinew::studio
