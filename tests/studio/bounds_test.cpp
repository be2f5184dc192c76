// Pages that send too much or do not read: the studio stays within its limits (docs/limits.md) and serves the others.
#include <future>

#include "server_harness.h"

namespace sinew::studio::bounds_test {
namespace {

using test::Binary;
using test::RawSocket;
using test::ServerTest;
using test::Text;
using test::textOf;

class BoundsTest : public ServerTest {};

TEST_F(BoundsTest, APageIsReadNoFasterThanItsMessagesAreDone) {
  constexpr int kMessages = 5000;
  const auto page = greeted();
  std::promise<void> go;
  session_->post([free = go.get_future().share()] { free.wait(); });
  std::string all;
  for (int i = 0; i < kMessages; ++i) {
    const std::string text = Json{{"id", 100 + i}, {"cmd", "history.list"}}.dump();
    all += test::frameHead(Text, text.size()) + text;
  }
  std::thread sender([&] { page->send(all); });
  std::size_t most = 0;
  // The permitted number of messages arrives soon; then no more.
  for (int i = 0; i < 1000 && most < kMostTasks; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    most = std::max(most, session_->waiting());
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(session_->waiting(), kMostTasks);
  go.set_value();
  // No message is lost.
  int next = 100;
  while (next < 100 + kMessages) {
    const Message message = readFrame(*page);
    ASSERT_NE(message.opcode, 0);
    if (message.opcode != Text) continue;
    const Json json = Json::parse(message.body);
    if (!json.contains("id")) continue;
    ASSERT_EQ(json["id"], next);
    ++next;
  }
  sender.join();
  expectAlive();
}

class SmallQueueTest : public ServerTest {
 protected:
  SmallQueueTest() { mostQueue_ = 1 << 20; }
};

TEST_F(SmallQueueTest, APageThatDoesNotReadIsLetGo) {
  const auto page = greeted();
  // The answer contains the name of the command. More bytes than the system buffers for a socket.
  const std::string text = Json{{"id", 7}, {"cmd", std::string(200'000, 'x')}}.dump();
  for (int i = 0; i < 60; ++i) {
    if (!page->send(test::frameHead(Text, text.size()) + text)) break;
  }
  bool told = false;
  for (int i = 0; i < 20 && !told; ++i) told = logs("does not read its messages");
  EXPECT_TRUE(told);
  // Its messages before the disconnect are still processed.
  for (int i = 0; i < 6000 && session_->waiting() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  expectAlive();
}

TEST_F(BoundsTest, SocketsThatShowNoTokenAreFew) {
  std::vector<std::unique_ptr<RawSocket>> strangers;
  for (std::size_t i = 0; i < kMostStrangers; ++i) strangers.push_back(upgrade());
  unsigned status = 0;
  const auto refused = upgrade({}, {}, &status);
  EXPECT_EQ(status, 0u);
  EXPECT_TRUE(logs("have not sent the token yet"));
  strangers.clear();
  // The server notices a moment later that they disconnected.
  for (int i = 0; i < 500 && status != 101; ++i) {
    upgrade({}, {}, &status);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(status, 101u);
}

TEST_F(BoundsTest, OfTooManyPagesTheOldestGoes) {
  std::vector<std::unique_ptr<RawSocket>> pages;
  for (std::size_t i = 0; i < kMostPages + 1; ++i) pages.push_back(greeted());
  for (;;) {
    const Message message = readFrame(*pages.front());
    if (message.opcode == test::Close || message.opcode == 0) break;
  }
  EXPECT_TRUE(ask(*pages.back(), "describe")["ok"]);
  EXPECT_TRUE(ask(*pages[1], "describe")["ok"]);
}

TEST_F(BoundsTest, AStretchOfAStrokeIsNotEndless) {
  const auto page = greeted();
  const Json before = ask(*page, "describe")["result"];
  const wire::PaintBegin begin{.drag = 1, .radius = 0.3f, .strength = 1};
  sendFrame(*page, Binary, textOf(encode(begin, 1, 0)));
  wire::Stroke stroke{.drag = 1};
  stroke.vertices.assign(kMostSamples + 1, 100);
  stroke.pressures.assign(kMostSamples + 1, 1);
  sendFrame(*page, Binary, textOf(encode(stroke, 2, 0)));
  EXPECT_TRUE(logs("samples"));
  sendFrame(*page, Binary, textOf(encode(wire::DragEnd{.drag = 1, .commit = 1}, 3, 0)));
  EXPECT_EQ(ask(*page, "describe")["result"]["blobs"], before["blobs"]);
}

}  // namespace
}  // namespace sinew::studio::bounds_test
