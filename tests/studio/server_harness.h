// The real server and a real session on a free port.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "raw_socket.h"
#include "studio/net/server.h"
#include "studio/session/session.h"
#include "support/test_arm.h"

namespace sinew::studio::test {

namespace fs = std::filesystem;

inline std::string_view textOf(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("sinew_server_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    for (const char* part : {"page/assets", "uploads", "root", "state"}) fs::create_directories(folder_ / part);
    std::ofstream(folder_ / "page/index.html") << "<title>studio</title>";
    std::ofstream(folder_ / "secret.txt") << kSecret;
    fs::create_symlink(folder_ / "secret.txt", folder_ / "page/assets/link.txt");
    CharacterFile arm;
    arm.character = sinew::test::testArm();
    writeCharacter(folder_ / "root/arm.glb", arm);
    const auto log = [this](const std::string& sentence) {
      const std::scoped_lock lock(mutex_);
      log_ += sentence + "\n";
    };
    SessionOptions options;
    options.root = folder_ / "root";
    options.state = folder_ / "state";
    options.uploads = folder_ / "uploads";
    options.log = log;
    session_ = std::make_unique<Session>(options);
    session_->open("arm.glb");
    ServerOptions network;
    network.idle = idle_;
    network.mostQueue = mostQueue_;
    network.page = folder_ / "page";
    network.uploads = folder_ / "uploads";
    ServerHooks hooks = session_->hooks();
    hooks.log = log;
    server_ = std::make_unique<Server>(network, hooks);
    thread_ = std::thread([this] { server_->run(); });
  }

  void TearDown() override {
    server_->stop();
    thread_.join();
    session_->stop();
    server_.reset();
    session_.reset();
    fs::remove_all(folder_);
  }

  [[nodiscard]] std::string host() const { return fmt::format("127.0.0.1:{}", server_->port()); }
  [[nodiscard]] std::string token() const { return fmt::format("X-Sinew-Token: {}\r\n", server_->token()); }

  /// The complete answer to a request; `headers` besides Host, each with its line end.
  std::string request(const std::string& line, const std::string& headers = {}, std::string hostName = {},
                      const std::string& body = {}) {
    RawSocket socket(server_->port());
    EXPECT_TRUE(socket.connected());
    if (hostName.empty()) hostName = host();
    socket.send(fmt::format("{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{}\r\n{}", line, hostName, headers, body));
    return socket.receive(1 << 20);
  }

  static unsigned statusOf(const std::string& answer) {
    return answer.starts_with("HTTP/1.1 ") ? static_cast<unsigned>(std::stoul(answer.substr(9, 3))) : 0;
  }

  std::string takeLog() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(log_, {});
  }
  /// Some are logged by the worker, a moment later.
  bool logs(std::string_view words) {
    for (int i = 0; i < 500; ++i) {
      {
        const std::scoped_lock lock(mutex_);
        if (log_.find(words) != std::string::npos) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  std::unique_ptr<RawSocket> upgrade(std::string origin = {}, std::string hostName = {}, unsigned* status = nullptr) {
    auto socket = std::make_unique<RawSocket>(server_->port());
    if (origin.empty()) origin = "http://" + host();
    if (hostName.empty()) hostName = host();
    socket->send(
        fmt::format("GET /ws HTTP/1.1\r\nHost: {}\r\n{}Upgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                    hostName, origin == "none" ? "" : "Origin: " + origin + "\r\n"));
    const unsigned answer = statusOf(socket->receiveHead());
    if (status != nullptr) *status = answer;
    return socket;
  }

  static void sendFrame(RawSocket& socket, Opcode opcode, std::string_view body) {
    socket.send(frameHead(opcode, body.size()) + std::string(body));
  }

  struct Message {
    int opcode = 0;  ///< 0: the connection was closed
    std::string body;
  };
  static Message readFrame(RawSocket& socket) {
    const std::string head = socket.receive(2);
    if (head.size() < 2) return {};
    std::uint64_t length = static_cast<unsigned char>(head[1]);
    const std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (more > 0) {
      length = 0;
      for (const char c : socket.receive(more)) length = length << 8 | static_cast<unsigned char>(c);
    }
    return {head[0] & 0xf, socket.receive(length)};
  }

  std::unique_ptr<RawSocket> greeted() {
    auto socket = upgrade();
    EXPECT_TRUE(ask(*socket, "hello", {{"token", server_->token()}, {"protocol", kProtocolVersion}})["ok"]);
    return socket;
  }

  /// The answer to a command, ignoring other messages before it.
  static Json ask(RawSocket& socket, const std::string& command, const Json& args = Json::object()) {
    sendFrame(socket, Text, Json{{"id", 77}, {"cmd", command}, {"args", args}}.dump());
    for (;;) {
      const Message message = readFrame(socket);
      if (message.opcode == 0 || message.opcode == Close) return {{"gone", true}};
      if (message.opcode != Text) continue;
      Json json = Json::parse(message.body);
      if (json.value("id", 0) == 77) return json;
    }
  }

  /// A well-behaved client is still served.
  void expectAlive() {
    EXPECT_EQ(statusOf(request("GET /")), 200u);
    const auto page = greeted();
    EXPECT_TRUE(ask(*page, "describe")["ok"]);
  }

  static constexpr const char* kSecret = "a file of someone";
  std::chrono::milliseconds idle_{30'000};
  std::size_t mostQueue_ = kMostQueue;
  fs::path folder_;
  std::mutex mutex_;
  std::string log_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace sinew::studio::test
