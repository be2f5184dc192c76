// Messages that wait for the worker: in order, and of replaceable ones only the newest.
#include "studio/session/mailbox.h"

#include <gtest/gtest.h>

namespace sinew::studio::mailbox_test {
namespace {

template <class Message>
void put(Mailbox& mailbox, const Message& message) {
  mailbox.putMessage(nullptr, encode(message, 1, 0));
}

std::vector<std::uint32_t> codesIn(Mailbox& mailbox) {
  std::vector<std::uint32_t> codes;
  while (mailbox.size() > 0) codes.push_back(readHeader(mailbox.take()->binary)->code);
  return codes;
}

TEST(Mailbox, ANewerMoveTakesThePlaceOfOneThatWaitsLast) {
  Mailbox mailbox;
  put(mailbox, wire::WeightDragBegin{.drag = 1});
  for (const float x : {1.0f, 2.0f, 3.0f}) put(mailbox, wire::DragMove{.drag = 1, .target = {x, 0, 0}});
  EXPECT_EQ(mailbox.takeReplaced(), 2u);
  EXPECT_EQ(mailbox.takeReplaced(), 0u);
  EXPECT_EQ(mailbox.size(), 2u);
  (void)mailbox.take();
  const auto move = decode<wire::DragMove>(std::span(mailbox.take()->binary).subspan(kHeaderBytes));
  ASSERT_TRUE(move);
  EXPECT_EQ(move->target[0], 3);
}

TEST(Mailbox, NothingIsReplacedAcrossWhatMustKeepItsPlace) {
  Mailbox mailbox;
  put(mailbox, wire::PoseSet{.view = 0, .live = 1});
  put(mailbox, wire::PoseSet{.view = 1, .live = 1});
  put(mailbox, wire::PoseSet{.view = 1, .live = 0});
  put(mailbox, wire::PoseSet{.view = 1, .live = 1});
  mailbox.put({nullptr, "{}", {}, nullptr});
  put(mailbox, wire::PoseSet{.view = 1, .live = 1});
  EXPECT_EQ(mailbox.size(), 6u);
  EXPECT_EQ(mailbox.takeReplaced(), 0u);
}

TEST(Mailbox, IsFullByBytesAndEmptyOnceItIsCleared) {
  Mailbox mailbox;
  EXPECT_FALSE(mailbox.full());
  mailbox.put({nullptr, std::string(kMostTaskBytes, ' '), {}, nullptr});
  EXPECT_TRUE(mailbox.full());
  (void)mailbox.take();
  EXPECT_FALSE(mailbox.full());
  put(mailbox, wire::DragEnd{.drag = 1});
  put(mailbox, wire::Stroke{.drag = 1});
  EXPECT_EQ(codesIn(mailbox), (std::vector<std::uint32_t>{wire::DragEnd::kCode, wire::Stroke::kCode}));
  mailbox.put({nullptr, "{}", {}, nullptr});
  mailbox.clear();
  EXPECT_EQ(mailbox.size(), 0u);
  mailbox.close();
  EXPECT_FALSE(mailbox.take());
}

}  // namespace
}  // namespace sinew::studio::mailbox_test
