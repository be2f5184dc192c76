#include "studio/net/codec.h"

#include <gtest/gtest.h>

#include "sinew/base/random.h"

namespace sinew::studio::codec_test {
namespace {

// The same bytes as in web/tests/protocol.test.mjs.
TEST(Codec, WritesTheGoldenBytes) {
  const wire::DragMove move{.drag = 7, .target = {1, -2, 0.5}};
  const Bytes bytes = encode(move, 3, 2);
  const Bytes golden{
      0x11, 0, 0, 0, 3, 0, 0,    0,    2, 0, 0, 0,    16, 0, 0, 0,  //
      7,    0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0,  0, 0, 0x3f,
  };
  EXPECT_EQ(bytes, golden);
}

TEST(Codec, OfAGrabOnlyTheNewestShapeCountsAndOfABrushAll) {
  const auto key = [](std::uint32_t drag) {
    return newestKey(encode(wire::Sculpted{.drag = drag, .view = 0, .vertices = {1}, .offsets = {1, 2, 3}}, 1, 0));
  };
  ASSERT_TRUE(key(4));
  EXPECT_EQ(key(4), key(4));
  EXPECT_NE(key(4), key(5));
  EXPECT_FALSE(key(0));
}

TEST(Codec, PadsBytesAndCountsLists) {
  const wire::Progress progress{.job = 1, .fraction = 0, .seconds = 0, .stage = {'a', 'b', 'c'}};
  const Bytes bytes = encode(progress, 1, 0);
  ASSERT_EQ(bytes.size(), kHeaderBytes + 12 + 4 + 4);
  EXPECT_EQ(bytes[kHeaderBytes + 12], 3);
  EXPECT_EQ(bytes.back(), 0);
}

TEST(Codec, GivesBackWhatItWrote) {
  const wire::PoseSet set{.view = 2,
                          .live = 1,
                          .joints = {4, 9},
                          .rotations = {0, 0, 0, 1, 0.5f, 0.5f, 0.5f, 0.5f},
                          .translations = {1, 2, 3, 4, 5, 6},
                          .scales = {1, 1, 1, 1, 1, 1}};
  const Bytes bytes = encode(set, 1, 1);
  const auto header = readHeader(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->code, wire::PoseSet::kCode);
  const auto back = decode<wire::PoseSet>(std::span(bytes).subspan(kHeaderBytes));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, set);
}

template <class Message>
void expectRefusesDamage(const Message& message) {
  const Bytes whole = encode(message, 1, 1);
  const std::span body = std::span(whole).subspan(kHeaderBytes);
  for (std::size_t length = 0; length < body.size(); ++length)
    EXPECT_FALSE(decode<Message>(body.first(length))) << "of kind " << Message::kCode << " cut at " << length;
  Bytes longer(body.begin(), body.end());
  longer.resize(longer.size() + 4);
  EXPECT_FALSE(decode<Message>(longer));
  // Lengths beyond the end must not allocate memory.
  Lcg random(5);
  for (int i = 0; i < 2000; ++i) {
    Bytes damaged(body.begin(), body.end());
    for (int k = 0; k < 4; ++k)
      damaged[static_cast<std::size_t>(random.uniform() * static_cast<double>(damaged.size()))] =
          static_cast<std::uint8_t>(random.uniform() * 256);
    (void)decode<Message>(damaged);
  }
}

TEST(Codec, RefusesMessagesThatAreCutLongerOrDamaged) {
  expectRefusesDamage(wire::WeightDragBegin{.drag = 1, .vertices = {1, 2, 3}, .pinnedViews = {1}});
  expectRefusesDamage(wire::PaintBegin{.drag = 1});
  expectRefusesDamage(wire::HandleDragBegin{.drag = 1});
  expectRefusesDamage(wire::DragMove{});
  expectRefusesDamage(wire::DragEnd{});
  expectRefusesDamage(
      wire::PoseSet{.joints = {1}, .rotations = {0, 0, 0, 1}, .translations = {0, 0, 0}, .scales = {1, 1, 1}});
  expectRefusesDamage(wire::Stroke{.drag = 1, .vertices = {1, 2}, .pressures = {1, 0.5f}});
}

TEST(Codec, RefusesHeadersThatDoNotFit) {
  Bytes bytes = encode(wire::DragEnd{}, 1, 1);
  EXPECT_FALSE(readHeader(std::span(bytes).first(15)));
  bytes.push_back(0);
  EXPECT_FALSE(readHeader(bytes));
}

// As in protocol.json: of the moves of one drag only the newest is kept, of poses only during a gesture.
TEST(Codec, FindsWhatANewerMessageReplaces) {
  const auto key = [](const auto& message) { return newestKey(encode(message, 1, 0)); };
  const auto move = key(wire::DragMove{.drag = 7});
  ASSERT_TRUE(move);
  EXPECT_EQ(key(wire::DragMove{.drag = 7, .target = {1, 2, 3}}), move);
  EXPECT_NE(key(wire::DragMove{.drag = 8}), move);
  EXPECT_FALSE(key(wire::WeightDragBegin{.drag = 7}));
  EXPECT_FALSE(key(wire::PaintBegin{.drag = 7}));
  EXPECT_FALSE(key(wire::HandleDragBegin{.drag = 7}));
  EXPECT_FALSE(key(wire::DragEnd{.drag = 7}));
  EXPECT_FALSE(key(wire::Stroke{.drag = 7}));
  const auto pose = key(wire::PoseSet{.view = 7, .live = 1});
  ASSERT_TRUE(pose);
  EXPECT_NE(pose, move);
  EXPECT_FALSE(key(wire::PoseSet{.view = 7, .live = 0}));
  EXPECT_EQ(key(wire::Frame{.views = 1}), key(wire::Frame{.views = 2}));
  EXPECT_NE(key(wire::Frame{.view = 0}), key(wire::Frame{.view = 1}));
  EXPECT_EQ(key(wire::Answer{.draft = 0}), key(wire::Answer{.draft = 1}));
  EXPECT_TRUE(key(wire::Weights{.drag = 7}));
  EXPECT_FALSE(key(wire::Weights{.drag = 0}));
  EXPECT_NE(key(wire::Progress{.job = 1}), key(wire::Progress{.job = 2}));
  EXPECT_FALSE(key(wire::Reach{}));
  const Bytes bytes = encode(wire::DragMove{.drag = 7}, 1, 0);
  EXPECT_FALSE(newestKey(std::span(bytes).first(kHeaderBytes)));
}

}  // namespace
}  // namespace sinew::studio::codec_test
