// The real server and a real session on a free port, attacked through plain sockets.
#include "server_harness.h"
#include "sinew/io/files.h"

namespace sinew::studio::server_test {
namespace {

namespace fs = std::filesystem;
using test::Binary;
using test::Close;
using test::frameHead;
using test::Opcode;
using test::RawSocket;
using test::ServerTest;
using test::Text;
using test::textOf;

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
    EXPECT_NE(takeLog().find("did not send the token"), std::string::npos) << body.substr(0, 60);
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
  // Absolute ones are taken as below the folder.
  EXPECT_EQ(statusOf(request("POST /upload//evil.glb", token() + "Content-Length: 4\r\n", {}, "evil")), 200u);
  EXPECT_EQ(statusOf(request("POST /upload/%2fevil.glb", token() + "Content-Length: 4\r\n", {}, "evil")), 200u);
  // A file cannot be used as a folder.
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
  // The content of an unexpected body is not parsed as a request.
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
  EXPECT_TRUE(logs("closed an idle connection"));
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

class ImpatientServerTest : public ServerTest {
 protected:
  ImpatientServerTest() { idle_ = std::chrono::milliseconds(400); }
};

TEST_F(ImpatientServerTest, LetsGoOfThoseWhoSpeakSlowly) {
  // A slow header, a missing body, an idle socket, a page without its token.
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
  EXPECT_TRUE(logs("incomplete request"));
  EXPECT_EQ(body.receive(1), "");
  EXPECT_EQ(nothing.receive(1), "");
  while (readFrame(*page).opcode != 0) continue;
  EXPECT_TRUE(logs("did not send the token"));
  EXPECT_TRUE(fs::is_empty(folder_ / "uploads"));
  // A page that has sent it may stay idle.
  const auto known = greeted();
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  EXPECT_TRUE(ask(*known, "describe")["ok"]);
}

}  // namespace
}  // namespace sinew::studio::server_test
