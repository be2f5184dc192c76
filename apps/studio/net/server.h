// HTTP and WebSocket on the loopback: access rules, limits and ordering. The session interprets the messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "studio/bounds.h"
#include "studio/net/codec.h"

namespace sinew::studio {

struct HttpRequest {
  std::string method;
  std::string path;  ///< decoded, without the query; never with ".." parts
  std::map<std::string, std::string> query;
  std::string body;  ///< empty if it was written to a file
  std::filesystem::path bodyFile;
};

struct HttpResponse {
  unsigned status = 200;
  std::string type = "application/octet-stream";
  std::string body;
  std::shared_ptr<const Bytes> blob;  ///< in place of the body
  bool immutable = false;             ///< may be cached forever
};

/// One page. Thread-safe; messages after it closed are dropped.
class Connection {
 public:
  virtual ~Connection() = default;
  [[nodiscard]] virtual std::uint64_t id() const = 0;
  /// Commands and replies: in order, never dropped.
  virtual void sendText(std::string text) = 0;
  /// Replaces a waiting message with the same key (newestKey).
  virtual void sendBinary(Bytes message) = 0;
  virtual void close(std::string_view reason) = 0;
};
using ConnectionPtr = std::shared_ptr<Connection>;

struct ServerHooks {
  /// Requests with the right token. Called on the network's thread, so it must not block.
  std::function<HttpResponse(const HttpRequest&)> request;
  /// A page has sent the right token.
  std::function<void(const ConnectionPtr&)> opened;
  std::function<void(const ConnectionPtr&)> closed;
  std::function<void(const ConnectionPtr&, std::string_view)> text;
  std::function<void(const ConnectionPtr&, std::span<const std::uint8_t>)> binary;
  /// True while the session has a backlog: pages are not read meanwhile.
  std::function<bool()> busy;
  /// Logs a sentence about something refused.
  std::function<void(const std::string&)> log;
};

struct ServerOptions {
  std::uint16_t port = 0;         ///< 0: any free port
  std::filesystem::path page;     ///< folder of the built page
  std::filesystem::path uploads;  ///< folder for files that the page sends
  std::string token;              ///< empty: random
  std::size_t mostMessage = kMostMessage;
  std::size_t mostQueue = kMostQueue;
  std::uint64_t mostUpload = kMostUpload;
  std::chrono::milliseconds idle{30'000};  ///< time limit for receiving a request, and for the token of a page
};

/// Listens on 127.0.0.1 from construction on. Refuses requests whose Host is not the loopback, upgrades and changes
/// whose Origin is another site, pages that do not send the token in their first message, paths that leave the page's
/// folder, and messages that are too long; each is logged.
class Server {
 public:
  Server(ServerOptions options, ServerHooks hooks);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] const std::string& token() const;
  /// http://127.0.0.1:PORT/#token=TOKEN
  [[nodiscard]] std::string address() const;
  /// Serves until stop().
  void run();
  /// From any thread or a signal handler's thread.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew::studio
