// The studio as a separate process, with injected faults, and a page that talks to it.
#pragma once

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "raw_socket.h"
#include "studio/document/edit_json.h"
#include "studio/messages.h"
#include "support/start_process.h"

namespace sinew::studio::test {

class StudioProcess {
 public:
  using Environment = std::map<std::string, std::string>;

  /// `folder` has root and state; `what` is opened.
  StudioProcess(const std::filesystem::path& folder, const std::string& what, const Environment& more = {},
                bool opens = false) {
    std::filesystem::create_directories(folder / "page");
    std::ofstream(folder / "page/index.html") << "<title>studio</title>";
    std::vector<std::string> words{SINEW_COMMAND,    "studio", what,           "--no-open",     "--json",
                                   "--port",         "0",      "--page",       folder / "page", "--state",
                                   folder / "state", "--root", folder / "root"};
    if (opens) std::erase(words, "--no-open");
    std::filesystem::remove(folder / "out");  // it may contain the line of an earlier run
    child_ = sinew::test::startProcess({.words = words,
                                        .out = folder / "out",
                                        .err = folder / "err",
                                        .environment = sinew::test::environmentWith(more)});
    const Json printed = Json::parse(firstLine(folder / "out", folder / "err"));
    port_ = printed.at("port").get<std::uint16_t>();
    token_ = printed.at("token").get<std::string>();
    connect();
  }
  ~StudioProcess() { end(SIGKILL); }
  StudioProcess(const StudioProcess&) = delete;
  StudioProcess& operator=(const StudioProcess&) = delete;

  /// The answer to a command.
  Json ask(const std::string& command, const Json& args = Json::object()) {
    const int id = ++asked_;
    const std::string text = Json{{"id", id}, {"cmd", command}, {"args", args}}.dump();
    socket_->send(frameHead(Text, text.size()) + text);
    for (;;) {
      const std::string body = receive();
      Json json = Json::parse(body, nullptr, false);
      if (json.is_object() && json.value("id", 0) == id) return json;
    }
  }
  Json result(const std::string& command, const Json& args = Json::object()) { return ask(command, args)["result"]; }
  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] const Json& greeting() const { return greeting_; }

  int end(int signal) {
    if (child_ <= 0) return 0;
    ::kill(child_, signal);
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = 0;
    return status;
  }

 private:
  std::string firstLine(const std::string& out, const std::string& err) {
    for (int i = 0; i < 3000; ++i) {
      std::ifstream stream(out);
      std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
      if (text.find('}') != std::string::npos) return text;
      if (::waitpid(child_, nullptr, WNOHANG) != 0) break;
      ::usleep(10'000);
    }
    std::ifstream stream(err);
    throw std::runtime_error("the studio did not start: " + std::string{std::istreambuf_iterator<char>(stream), {}});
  }

  void connect() {
    socket_ = std::make_unique<RawSocket>(port_);
    socket_->send(
        fmt::format("GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{0}\r\nOrigin: http://127.0.0.1:{0}\r\nUpgrade: websocket\r\n"
                    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                    port_));
    socket_->receiveHead();
    greeting_ = result("hello", {{"token", token_}, {"protocol", kProtocolVersion}});
  }

  /// The body of the next message; throws if the studio has ended.
  std::string receive() {
    const std::string head = socket_->receive(2);
    if (head.size() < 2) throw std::runtime_error("the studio hung up");
    std::uint64_t length = static_cast<unsigned char>(head[1]);
    const std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (more > 0) {
      length = 0;
      for (const char c : socket_->receive(more)) length = length << 8 | static_cast<unsigned char>(c);
    }
    return socket_->receive(length);
  }

  pid_t child_ = 0;
  std::uint16_t port_ = 0;
  std::string token_;
  std::unique_ptr<RawSocket> socket_;
  Json greeting_;
  int asked_ = 0;
};

}  // namespace sinew::studio::test
