// The real server and a real session on a free port, attacked through plain sockets.
#include "server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "session.h"
#include "sinew/io/files.h"
#include "support/test_arm.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

/// A connection that says exactly what it is told to.
class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{10, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    connected_ = ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawSocket() { ::close(descriptor_); }
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }

  /// False where the other side has hung up.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// At most `count` bytes; fewer where the other side has hung up.
  std::string receive(std::size_t count) {
    std::string bytes(count, '\0');
    std::size_t got = 0;
    while (got < count) {
      const ssize_t more = ::recv(descriptor_, bytes.data() + got, count - got, 0);
      if (more <= 0) break;
      got += static_cast<std::size_t>(more);
    }
    bytes.resize(got);
    return bytes;
  }
  std::string receiveHead() {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      const std::string one = receive(1);
      if (one.empty()) break;
      head += one;
    }
    return head;
  }

 private:
  int descriptor_;
  bool connected_ = false;
};

enum Opcode { Text = 1, Binary = 2, Close = 8, Ping = 9 };

std::string frameHead(Opcode opcode, std::uint64_t length) {
  std::string head{static_cast<char>(0x80 | opcode)};
  if (length < 126) {
    head += static_cast<char>(0x80 | length);
  } else if (length < 65536) {
    head += static_cast<char>(0x80 | 126);
    for (int shift = 8; shift >= 0; shift -= 8) head += static_cast<char>(length >> shift & 0xff);
  } else {
    head += static_cast<char>(0x80 | 127);
    for (int shift = 56; shift >= 0; shift -= 8) head += static_cast<char>(length >> shift & 0xff);
  }
  return head + std::string(4, '\0');  // a mask of zeros leaves the bytes as they are
}

std::string_view textOf(const Bytes& bytes) {
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
    arm.character = test::testArm();
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

  /// The whole answer to a request; `headers` besides Host, each with its end.
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
    int opcode = 0;  ///< 0: the connection has gone
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

  /// The answer to a command, whatever else comes before it.
  static Json ask(RawSocket& socket, const std::string& command, const Json& args = Json::object()) {
    sendFrame(socket, Text, Json{{"id", 77}, {"cmd", command}, {"args", args}}.dump());
    for (;;) {
      const Message message = readFrame(socket);
      if (message.opcode == 0 || message.opcode == Close) return {{"gone", true}};
      if (message.opcode != Text) continue;
      const Json json = Json::parse(message.body);
      if (json.value("id", 0) == 77) return json;
    }
  }

  /// Someone who behaves is still served.
  void expectAlive() {
    EXPECT_EQ(statusOf(request("GET /")), 200u);
    const auto page = greeted();
    EXPECT_TRUE(ask(*page, "describe")["ok"]);
  }

  static constexpr const char* kSecret = "a file of someone";
  std::chrono::milliseconds idle_{30'000};
  fs::path folder_;
  std::mutex mutex_;
  std::string log_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

TEST_F(ServerTest, RefusesForeignHosts) {
  for (const char* name : {"evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "[::1]:80", "localhost"}) {
    EXPECT_EQ(statusOf(request("GET /", {}, name)), 403u) << name;
    EXPECT_NE(takeLog().find("is not this studio"), std::string::npos) << name;
  }
  unsigned status = 0;
  upgrade({}, "evil.example", &status);
  EXPECT_EQ(status, 403u);
  expectAlive();
}

TEST_F(ServerTest, RefusesForeignOrigins) {
  for (const std::string& origin : {std::string("http://evil.example"), std::string("null"), "https://" + host()}) {
    EXPECT_EQ(statusOf(request("GET /", "Origin: " + origin + "\r\n")), 403u) << origin;
    EXPECT_NE(takeLog().find("the origin"), std::string::npos) << origin;
    unsigned status = 0;
    upgrade(origin, {}, &status);
    EXPECT_EQ(status, 403u) << origin;
    EXPECT_NE(takeLog().find("the origin"), std::string::npos) << origin;
  }
  unsigned status = 0;
  upgrade("none", {}, &status);
  EXPECT_EQ(status, 403u);
  expectAlive();
}

TEST_F(ServerTest, RefusesRequestsWithoutTheToken) {
  const std::string wrong = "X-Sinew-Token: " + std::string(server_->token().size(), '0') + "\r\n";
  for (const std::string& headers : {std::string(), wrong, std::string("X-Sinew-Token: \r\n")}) {
    for (const char* line : {"GET /blob/0", "GET /debug/state", "POST /upload/arm.glb", "POST /", "GET /nothing"}) {
      EXPECT_EQ(statusOf(request(line, headers)), 401u) << line;
      EXPECT_NE(takeLog().find("token"), std::string::npos) << line;
    }
  }
  EXPECT_EQ(statusOf(request("DELETE /blob/0", token())), 405u);
  EXPECT_TRUE(fs::is_empty(folder_ / "uploads"));
  expectAlive();
}

TEST_F(ServerTest, RefusesPagesWhoseFirstMessageIsNotTheToken) {
  const std::vector<std::pair<Opcode, std::string>> first = {
      {Text, "hello"},
      {Text, R"({"cmd":"describe"})"},
      {Text, R"({"cmd":"hello","args":{"token":"wrong"}})"},
      {Text, R"({"cmd":"hello","args":{"token":7}})"},
      {Text, R"({"cmd":["hello"],"args":{}})"},
      {Text, R"({"cmd":"hello","args":"token"})"},
      {Text, std::string(100000, '[')},
      {Text, "[" + std::string(50000, '{')},
      {Binary, std::string(textOf(encode(wire::DragEnd{}, 1, 0)))},
      {Binary, server_->token()},
  };
  for (const auto& [opcode, body] : first) {
    const auto socket = upgrade();
    sendFrame(*socket, opcode, body);
    const Message answer = readFrame(*socket);
    EXPECT_TRUE(answer.opcode == Close || answer.opcode == 0) << body.substr(0, 60);
    EXPECT_NE(takeLog().find("does not show the token"), std::string::npos) << body.substr(0, 60);
  }
  expectAlive();
}

TEST_F(ServerTest, ServesNothingOutsideOfThePage) {
  for (const char* path : {"/../secret.txt",
                           "/assets/../../secret.txt",
                           "/%2e%2e/secret.txt",
                           "/assets/%2e%2e/%2e%2e/secret.txt",
                           "/..%2fsecret.txt",
                           "/assets/..%5c..%5csecret.txt",
                           "/assets/%00/../../secret.txt",
                           "/assets/link.txt",
                           "//etc/passwd",
                           "/assets//etc/passwd",
                           "/blob/../../secret.txt",
                           "/blob/..%2f..%2fsecret.txt",
                           "/upload/../../secret.txt",
                           "/blob/%2e%2e/%2e%2e/secret.txt",
                           "/blob/..%5csecret.txt",
                           "/blob/%00",
                           "/debug/../../secret.txt",
                           "/debug/%2e%2e%2f%2e%2e%2fsecret.txt",
                           "/debug/state/../../secret.txt",
                           "/debug/state",
                           "/%2e%2e%5csecret.txt",
                           "/index.html/../../secret.txt",
                           "/.%2e/secret.txt",
                           "/assets/link.txt?x=../../secret.txt",

                           "secret.txt",
                           "http://evil.example/secret.txt",
                           "/assets/..;/secret.txt",
                           "*"}) {
    for (const char* method : {"GET", "HEAD", "POST"}) {
      const std::string answer = request(fmt::format("{} {}", method, path), token() + "Content-Length: 0\r\n");
      EXPECT_NE(statusOf(answer), 200u) << method << " " << path;
      EXPECT_EQ(answer.find(kSecret), std::string::npos) << method << " " << path;
      EXPECT_EQ(answer.find("root:"), std::string::npos) << method << " " << path;
      EXPECT_NE(takeLog().find("refused"), std::string::npos) << method << " " << path;
    }
  }
  expectAlive();
}

TEST_F(ServerTest, KeepsUploadsInTheirFolder) {
  for (const char* path : {"/upload/../../../evil.glb", "/upload/%2e%2e/%2e%2e/%2e%2e/evil.glb",
                           "/upload/a%2f..%2f..%2f..%2fevil.glb", "/upload/..%5c..%5cevil.glb", "/upload/evil%00.glb",
                           "/upload/%2e%2e", "/upload/a/..", "/upload/", "/upload/.", "/upload/a/."}) {
    const std::string answer = request(fmt::format("POST {}", path), token() + "Content-Length: 4\r\n", {}, "evil");
    EXPECT_GE(statusOf(answer), 400u) << path;
    EXPECT_FALSE(takeLog().empty()) << path;
  }
  // Absolute ones lie below the folder all the same.
  EXPECT_EQ(statusOf(request("POST /upload//evil.glb", token() + "Content-Length: 4\r\n", {}, "evil")), 200u);
  EXPECT_EQ(statusOf(request("POST /upload/%2fevil.glb", token() + "Content-Length: 4\r\n", {}, "evil")), 200u);
  // A name that is a file cannot be a folder, too.
  EXPECT_EQ(statusOf(request("POST /upload/evil.glb/x", token() + "Content-Length: 4\r\n", {}, "evil")), 500u);
  EXPECT_FALSE(takeLog().empty());
  for (const auto& entry : fs::directory_iterator(folder_ / "uploads")) EXPECT_EQ(entry.path().filename(), "files");
  std::size_t outside = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    const bool kept = entry.path().string().starts_with((folder_ / "uploads").string());
    if (entry.path().filename() == "evil.glb" && !kept) ++outside;
  }
  EXPECT_EQ(outside, 0u);
  EXPECT_FALSE(fs::exists("/evil.glb"));
  expectAlive();
}

TEST_F(ServerTest, OpensAndSavesBelowTheRootOnly) {
  const auto page = greeted();
  fs::create_symlink(folder_, folder_ / "root/out");
  fs::create_symlink(folder_ / "secret.txt", folder_ / "root/link.glb");
  for (const std::string& path :
       {std::string("../secret.txt"), std::string("/etc/passwd"), (folder_ / "secret.txt").string(),
        std::string("sub/../../out.glb"), std::string("..\0/x.glb", 9), std::string("out/secret.txt"),
        std::string("out"), std::string("out/new.glb"), std::string("link.glb"), std::string("./out/../../secret.txt"),
        (folder_ / "root/../secret.txt").string(), std::string("upload:/../../../x"), std::string("/")}) {
    for (const char* command : {"open", "save", "files", "bind", "handles.export"}) {
      takeLog();
      const Json answer = ask(*page, command, {{"what", path}, {"path", path}, {"skeleton", path}, {"replace", true}});
      EXPECT_EQ(answer.value("ok", true), false) << command << " " << path;
      if (answer.value("code", "") == "outside-root") {
        EXPECT_NE(takeLog().find("refused"), std::string::npos) << command << " " << path;
      }
    }
    const std::string code = ask(*page, "files", {{"path", path}}).value("code", "");
    EXPECT_TRUE(code == "outside-root" || path.starts_with("upload:") || path.find('\0') != std::string::npos)
        << path << " " << code;
  }
  EXPECT_EQ(readFile(folder_ / "secret.txt"), kSecret);
  EXPECT_FALSE(fs::exists(folder_ / "out.glb"));
  expectAlive();
}

TEST_F(ServerTest, RefusesHugeMessages) {
  const auto page = greeted();
  constexpr std::size_t kHuge = 100'000'000;
  page->send(frameHead(Binary, kHuge));
  const std::string piece(1 << 16, 'x');
  std::size_t sent = 0;
  while (sent < kHuge && page->send(piece)) sent += piece.size();
  EXPECT_LT(sent, kHuge);
  EXPECT_TRUE(logs("refused a message of more than"));
  const std::string body = fmt::format("Content-Length: {}\r\n", kHuge);
  EXPECT_EQ(statusOf(request("POST /anything", token() + body)), 413u);
  EXPECT_EQ(statusOf(request("GET /" + std::string(100'000, 'a'), token())) / 100 == 2, false);
  expectAlive();
}

TEST_F(ServerTest, RefusesHugeHeaders) {
  std::string many;
  for (int i = 0; i < 2000; ++i) many += fmt::format("X-Header-{}: {}\r\n", i, std::string(20, 'x'));
  EXPECT_NE(statusOf(request("GET /", many)), 200u);
  EXPECT_TRUE(logs("too long"));
  expectAlive();
}

TEST_F(ServerTest, AnswersRequestsThatComeTogetherInOrder) {
  RawSocket socket(server_->port());
  const auto get = [&](const char* path, const std::string& more) {
    return fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", path, host(), more);
  };
  socket.send(get("/", {}) + get("/nothing.txt", token()) + get("/", "Connection: close\r\n"));
  const std::string answers = socket.receive(1 << 20);
  const std::size_t second = answers.find("HTTP/1.1 404");
  EXPECT_TRUE(answers.starts_with("HTTP/1.1 200"));
  ASSERT_NE(second, std::string::npos);
  EXPECT_NE(answers.find("HTTP/1.1 200", second), std::string::npos);
  // What stands in a body that no one asked for is no request.
  RawSocket smuggler(server_->port());
  const std::string inside = get("/debug/state", token());
  smuggler.send(get("/", fmt::format("Content-Length: {}\r\n", inside.size())) + inside);
  const std::string once = smuggler.receive(1 << 20);
  EXPECT_TRUE(once.starts_with("HTTP/1.1 200"));
  EXPECT_EQ(once.find("HTTP/1.1", 8), std::string::npos);
  expectAlive();
}

TEST_F(ServerTest, LivesThroughHundredsOfConnectionsThatSayNothing) {
  std::vector<std::unique_ptr<RawSocket>> silent;
  for (int i = 0; i < 600; ++i) {
    silent.push_back(std::make_unique<RawSocket>(server_->port()));
    if (i % 3 == 0) silent.back()->send("GET / HTTP/1.1\r\nHo");
  }
  expectAlive();
  EXPECT_TRUE(logs("says nothing"));
  silent.clear();
  expectAlive();
}

TEST_F(ServerTest, SurvivesHalfRequestsAndNoise) {
  for (const std::string& bytes : {std::string("\x16\x03\x01\x02\x00\x01", 6), std::string("GET / HTTP/1.1\r\nHo"),
                                   std::string(70'000, '\xff'), std::string("\r\n\r\n"), std::string()}) {
    RawSocket socket(server_->port());
    socket.send(bytes);
  }
  const auto page = greeted();
  page->send("\xff\xff\xff\xff\xff");  // no frame at all
  expectAlive();
}

/// Each message cut, lengthened, with counts that lie, and with numbers that are none.
template <class Message>
std::vector<Bytes> damaged(const Message& message) {
  const Bytes whole = encode(message, 1, 0);
  std::vector<Bytes> list;
  const auto patched = [&](std::size_t at, std::uint32_t value) {
    Bytes bytes = whole;
    std::memcpy(bytes.data() + at, &value, 4);
    return bytes;
  };
  for (std::size_t cut = 0; cut < whole.size(); cut += 3)
    list.emplace_back(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
  Bytes longer = whole;
  longer.resize(whole.size() + 4);
  list.push_back(longer);
  for (std::size_t at = kHeaderBytes; at + 4 <= whole.size(); at += 4) {
    for (const std::uint32_t value : {0u, 0x7fffffffu, 0xffffffffu, 0x7fc00000u, 0x7f800000u})
      list.push_back(patched(at, value));
  }
  list.push_back(patched(12, 0xffffffffu));
  return list;
}

TEST_F(ServerTest, RefusesDamagedMessagesOfEveryKind) {
  const wire::DragBegin begin{
      .drag = 1, .lead = 100, .softRadius = 0.3f, .vertices = {1, 2}, .pins = {0}, .added = {1}, .strength = 1};
  wire::DragBegin paint = begin;
  paint.tool = static_cast<std::uint32_t>(DragTool::Paint);
  const wire::DragEnd end{.drag = 1, .commit = 1, .target = {0, 1, 0}};
  const std::vector<std::vector<Bytes>> lists = {
      damaged(begin),
      damaged(paint),
      damaged(wire::DragMove{.drag = 1, .target = {0, 1, 0}}),
      damaged(end),
      damaged(wire::PoseSet{.joints = {1}, .rotations = {0, 0, 0, 1}, .translations = {0, 0, 0}, .scales = {1, 1, 1}}),
      damaged(wire::Stroke{.drag = 1, .vertices = {1, 2}, .pressures = {1, 0.5f}}),
      {Bytes(), Bytes(15), Bytes(16), Bytes(64, 0xff)},
      // Messages that only the studio sends.
      damaged(wire::Frame{.views = {0}, .palettes = {1, 2}}),
      damaged(wire::Weights{.vertices = {1}, .counts = {1}, .bindings = {0}, .weights = {1}}),
      damaged(wire::Reach{.joints = {1}, .corners = {1, 2, 3}}),
      damaged(wire::Progress{.stage = {1, 2, 3}}),
      damaged(wire::History{}),
  };
  for (const auto& list : lists) {
    for (const wire::DragBegin& start : {begin, paint}) {
      const auto page = greeted();
      takeLog();
      sendFrame(*page, Binary, textOf(encode(start, 1, 0)));
      for (const Bytes& bytes : list) sendFrame(*page, Binary, textOf(bytes));
      EXPECT_TRUE(ask(*page, "describe")["ok"]);
      EXPECT_FALSE(takeLog().empty());
    }
  }
  expectAlive();
}

TEST_F(ServerTest, AnswersCommandsOfWrongTypes) {
  const auto page = greeted();
  const Json values[] = {
      nullptr, true,     -1,       1e300,       "x", Json::array(), Json::object(), std::string(5000, 'y'),
      0.5,     1u << 31, {1, "x"}, {{"a", {1}}}};
  std::vector<std::string_view> commands = commandNames();
  commands.push_back("no.command");
  ASSERT_GT(commands.size(), 30u);
  for (const std::string_view command : commands) {
    for (const Json& value : values) {
      Json args;
      for (const char* name :
           {"what", "path",  "depth",      "job",     "vertex",   "binding",  "weight", "joints", "vertices",
            "view", "joint", "name",       "count",   "time",     "key",      "handle", "most",   "times",
            "from", "skip",  "unfinished", "replace", "skeleton", "controls", "clip",   "amount", "pinned"})
        args[name] = value;
      const Json answer = ask(*page, std::string(command), args);
      EXPECT_TRUE(answer.contains("ok")) << command << " " << value;
    }
  }
  sendFrame(*page, Text, R"({"cmd":"describe","id":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}");
  sendFrame(*page, Text, "{}");
  sendFrame(*page, Text, "7");
  EXPECT_TRUE(ask(*page, "describe")["ok"]);
  EXPECT_TRUE(logs("refused a command"));
  expectAlive();
}

class ImpatientServerTest : public ServerTest {
 protected:
  ImpatientServerTest() { idle_ = std::chrono::milliseconds(400); }
};

TEST_F(ImpatientServerTest, LetsGoOfThoseWhoSpeakSlowly) {
  // A header byte now and then, a body that never comes, a socket that says nothing, a page without its token.
  RawSocket slow(server_->port());
  RawSocket body(server_->port());
  RawSocket nothing(server_->port());
  const auto page = upgrade();
  body.send(
      fmt::format("POST /upload/a.glb HTTP/1.1\r\nHost: {}\r\n{}Content-Length: 1000\r\n\r\nabc", host(), token()));
  const std::string line = fmt::format("GET / HTTP/1.1\r\nHost: {}\r\nX-Slow: ", host());
  slow.send(line);
  bool open = true;
  for (int i = 0; i < 100 && open; ++i) {
    open = slow.send("x");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(open);
  EXPECT_TRUE(logs("did not come to its end"));
  EXPECT_EQ(body.receive(1), "");
  EXPECT_EQ(nothing.receive(1), "");
  while (readFrame(*page).opcode != 0) continue;
  EXPECT_TRUE(logs("does not show the token"));
  EXPECT_TRUE(fs::is_empty(folder_ / "uploads"));
  // A page that has shown it may think as long as it likes.
  const auto known = greeted();
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  EXPECT_TRUE(ask(*known, "describe")["ok"]);
}

TEST_F(ServerTest, LetsOnlyTheNewestPageChangeThings) {
  const auto old = greeted();
  const auto fresh = greeted();
  EXPECT_EQ(ask(*old, "pose.reset")["code"], "taken-over");
  EXPECT_TRUE(ask(*old, "describe")["ok"]);
  EXPECT_TRUE(ask(*fresh, "pose.reset")["ok"]);
}

TEST_F(ServerTest, TakesBackADragThatACommandInterrupts) {
  const auto page = greeted();
  const Json before = ask(*page, "describe")["result"];
  sendFrame(*page, Binary, textOf(encode(wire::DragBegin{.drag = 1, .lead = 120}, 1, 0)));
  sendFrame(*page, Binary, textOf(encode(wire::DragMove{.drag = 1, .target = {0, 3, 0}}, 2, 0)));
  EXPECT_TRUE(ask(*page, "weights.locks", {{"joints", {"lower"}}})["ok"]);
  sendFrame(*page, Binary, textOf(encode(wire::DragEnd{.drag = 1, .commit = 1}, 3, 0)));
  const Json after = ask(*page, "describe")["result"];
  EXPECT_EQ(after["history"]["depth"], 1);
  EXPECT_EQ(after["blobs"]["weights"], before["blobs"]["weights"]);
}

}  // namespace
}  // namespace sinew::studio
