#include "studio/net/codec.h"

#include <gtest/gtest.h>

#include "sinew/base/random.h"

namespace sinew::studio::codec_test {
namespace {

// The same bytes as web/tests/protocol.test.mjs expects of the page.
TEST(Codec, WritesTheGoldenBytes) {
  const wire::DragMove move{.drag = 7, .target = {1, -2, 0.5}, .ray = {0, 0, 1, 0, 0, -1}, .pressure = 0.25};
  const Bytes bytes = encode(move, 3, 2);
  const Bytes golden{
      0x11, 0, 0, 0, 3, 0, 0,    0,    2, 0, 0,    0,    44, 0, 0, 0,     //
      7,    0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0,    0xc0, 0,  0, 0, 0x3f,  //
      0,    0, 0, 0, 0, 0, 0,    0,    0, 0, 0x80, 0x3f, 0,  0, 0, 0,     //
      0,    0, 0, 0, 0, 0, 0x80, 0xbf, 0, 0, 0x80, 0x3e,
  };
  EXPECT_EQ(bytes, golden);
}

TEST(Codec, PadsBytesAndCountsLists) {
  const wire::Progress progress{.job = 1, .fraction = 0, .value = 0, .seconds = 0, .stage = {'a', 'b', 'c'}};
  const Bytes bytes = encode(progress, 1, 0);
  ASSERT_EQ(bytes.size(), kHeaderBytes + 16 + 4 + 4);
  EXPECT_EQ(bytes[kHeaderBytes + 16], 3);
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
  // Lengths that ask for more than there is must not take memory.
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
  expectRefusesDamage(wire::DragBegin{.drag = 1, .vertices = {1, 2, 3}, .pins = {1}});
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

}  // namespace
}  // namespace sinew::studio::codec_test
