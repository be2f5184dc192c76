// Invalid input from pages: messages and commands that are damaged, of wrong types, or from the wrong page.
#include "server_harness.h"

namespace sinew::studio::server_messages_test {
namespace {

using test::Binary;
using test::ServerTest;
using test::Text;
using test::textOf;

class MessagesTest : public ServerTest {};

/// Each message truncated, extended, with wrong counts, and with NaN.
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

TEST_F(MessagesTest, RefusesDamagedMessagesOfEveryKind) {
  const wire::WeightDragBegin begin{
      .drag = 1, .lead = 100, .radius = 0.3f, .vertices = {1, 2}, .pinnedViews = {0}, .addedJoints = {1}};
  const wire::PaintBegin paint{.drag = 1, .radius = 0.3f, .strength = 1};
  const wire::DragEnd end{.drag = 1, .commit = 1, .target = {0, 1, 0}};
  const std::vector<std::vector<Bytes>> lists = {
      damaged(begin),
      damaged(paint),
      damaged(wire::HandleDragBegin{.drag = 1}),
      damaged(wire::DragMove{.drag = 1, .target = {0, 1, 0}}),
      damaged(end),
      damaged(wire::PoseSet{.joints = {1}, .rotations = {0, 0, 0, 1}, .translations = {0, 0, 0}, .scales = {1, 1, 1}}),
      damaged(wire::Stroke{.drag = 1, .vertices = {1, 2}, .pressures = {1, 0.5f}}),
      {Bytes(), Bytes(15), Bytes(16), Bytes(64, 0xff)},
      // Messages that only the studio sends.
      damaged(wire::Frame{.views = 1, .palette = {1, 2}}),
      damaged(wire::Weights{.vertices = {1}, .counts = {1}, .bindings = {0}, .weights = {1}}),
      damaged(wire::Reach{.joints = {1}, .corners = {1, 2, 3}}),
      damaged(wire::Progress{.stage = {1, 2, 3}}),
      damaged(wire::History{}),
  };
  for (const auto& list : lists) {
    for (const Bytes& start : {encode(begin, 1, 0), encode(paint, 1, 0)}) {
      const auto page = greeted();
      takeLog();
      sendFrame(*page, Binary, textOf(start));
      for (const Bytes& bytes : list) sendFrame(*page, Binary, textOf(bytes));
      EXPECT_TRUE(ask(*page, "describe")["ok"]);
      EXPECT_FALSE(takeLog().empty());
    }
  }
  expectAlive();
}

TEST_F(MessagesTest, AnswersCommandsOfWrongTypes) {
  const auto page = greeted();
  const Json values[] = {
      nullptr, true,     -1,       1e300,       "x", Json::array(), Json::object(), std::string(5000, 'y'),
      0.5,     1u << 31, {1, "x"}, {{"a", {1}}}};
  const auto askAll = [&]<class Command>(Command command) {
    for (const Json& value : values) {
      Json args = Json::object();
      Command::visitFields(command,
                           [&](const char* name, auto& /*field*/, const auto& /*rule*/) { args[name] = value; });
      const Json answer = ask(*page, std::string(Command::kName), args);
      EXPECT_TRUE(answer.contains("ok")) << Command::kName << " " << value;
    }
  };
  std::apply([&](const auto&... command) { (askAll(command), ...); }, wire::Commands());
  EXPECT_FALSE(ask(*page, "no.command")["ok"]);
  sendFrame(*page, Text, R"({"cmd":"describe","id":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}");
  sendFrame(*page, Text, "{}");
  sendFrame(*page, Text, "7");
  EXPECT_TRUE(ask(*page, "describe")["ok"]);
  EXPECT_TRUE(logs("refused a command"));
  expectAlive();
}

TEST_F(MessagesTest, LetsOnlyTheNewestPageChangeThings) {
  const auto old = greeted();
  const auto fresh = greeted();
  EXPECT_EQ(ask(*old, "pose.reset")["code"], "taken-over");
  EXPECT_TRUE(ask(*old, "describe")["ok"]);
  EXPECT_TRUE(ask(*fresh, "pose.reset")["ok"]);
}

TEST_F(MessagesTest, TakesBackADragThatACommandInterrupts) {
  const auto page = greeted();
  const Json before = ask(*page, "describe")["result"];
  sendFrame(*page, Binary, textOf(encode(wire::WeightDragBegin{.drag = 1, .lead = 120}, 1, 0)));
  sendFrame(*page, Binary, textOf(encode(wire::DragMove{.drag = 1, .target = {0, 3, 0}}, 2, 0)));
  EXPECT_TRUE(ask(*page, "weights.locks", {{"joints", {"lower"}}})["ok"]);
  sendFrame(*page, Binary, textOf(encode(wire::DragEnd{.drag = 1, .commit = 1}, 3, 0)));
  const Json after = ask(*page, "describe")["result"];
  EXPECT_EQ(after["history"]["depth"], 1);
  EXPECT_EQ(after["blobs"]["weights"], before["blobs"]["weights"]);
}

}  // namespace
}  // namespace sinew::studio::server_messages_test
