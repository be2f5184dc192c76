// Picking examples by coverage, and setting some aside.
#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/base/error.h"
#include "sinew/learn/choose_examples.h"
#include "support/test_arm.h"

namespace sinew::test::choose_examples_test {
namespace {

/// Examples without shapes: the elbow at these angles.
ExampleSet elbowAt(const Character& arm, const std::vector<double>& degrees) {
  ExampleSet set;
  for (const double angle : degrees) {
    Example example;
    example.name = std::to_string(set.examples.size());
    example.pose = restPose(arm);
    const auto lower = toSize(arm.skeleton.index("lower"));
    example.pose.local[lower].rotation = bentArmPose(arm, angle, 0).local[lower].rotation;
    set.examples.push_back(example);
  }
  return set;
}

using Numbers = std::vector<std::size_t>;

TEST(PickExamples, TakesTheFarthestPoses) {
  const Character arm = testArm();
  const ExampleSet set = elbowAt(arm, {10, 20, 30, 40, 50, 60, 70, 80, 90});
  const std::vector<double> same(set.examples.size(), 1.0);
  // 90, then the middle between it and rest (40 comes before 50 at equal distance), then the middles of those.
  EXPECT_EQ(pickExamples(arm, set, same, 1), (Numbers{8}));
  EXPECT_EQ(pickExamples(arm, set, same, 2).back(), 8u);
  EXPECT_EQ(pickExamples(arm, set, same, 9).size(), 9u);
  EXPECT_EQ(pickExamples(arm, set, same, 20).size(), 9u);
}

TEST(PickExamples, PrefersWherePlainSkinningIsWrong) {
  const Character arm = testArm();
  const ExampleSet set = elbowAt(arm, {-80, -40, 30, 60, 90});
  EXPECT_EQ(pickExamples(arm, set, std::vector<double>{1, 1, 1, 1, 1}, 1), (Numbers{4}));
  EXPECT_EQ(pickExamples(arm, set, std::vector<double>{3, 1, 1, 1, 1}, 1), (Numbers{0}));
  EXPECT_EQ(pickExamples(arm, set, std::vector<double>{0, 0, 0, 0, 0}, 1), (Numbers{4}));
}

TEST(PickExamples, PassesOverDuplicatesWhileThereAreOthers) {
  const Character arm = testArm();
  const ExampleSet set = elbowAt(arm, {90, 90, 90, 45, 90});
  const std::vector<double> same(set.examples.size(), 1.0);
  EXPECT_EQ(pickExamples(arm, set, same, 2), (Numbers{0, 3}));
  EXPECT_EQ(pickExamples(arm, set, same, 4).size(), 4u);
}

TEST(PickExamples, KeepsAnExampleForEachNamedDriverWhileThereIsRoom) {
  const Character arm = testArm();
  ExampleSet set = elbowAt(arm, {90, -90, 60, -60, 30, 0, 0});
  const auto turn = [&](std::size_t k, const char* joint) {
    set.examples[k].pose.local[toSize(arm.skeleton.index(joint))].rotation =
        Quat(Eigen::AngleAxisd(0.05, Vec3::UnitY()));
  };
  turn(5, "upper");  // small, so that distance alone would not pick it
  set.drivers = {{"lower", 1}, {"upper", 0.01}};
  const std::vector<double> same(set.examples.size(), 1.0);
  for (std::size_t count = 2; count < 5; ++count) {
    const Numbers picked = pickExamples(arm, set, same, count);
    EXPECT_EQ(picked.size(), count);
    EXPECT_EQ(std::count(picked.begin(), picked.end(), 5u), 1) << count;
    EXPECT_EQ(std::count(picked.begin(), picked.end(), 0u) + std::count(picked.begin(), picked.end(), 1u),
              static_cast<long>(std::min<std::size_t>(2, count - 1)));
  }
  EXPECT_EQ(pickExamples(arm, set, same, 1).size(), 1u);
  turn(1, "upper");  // one example for both
  EXPECT_EQ(pickExamples(arm, set, same, 1), (Numbers{1}));
  set.drivers.clear();
  EXPECT_EQ(pickExamples(arm, set, same, 2), (Numbers{0, 1})) << "without names the poses alone decide";
}

TEST(HoldOutExamples, TakesAnEvenShare) {
  const Character arm = testArm();
  std::vector<double> degrees;
  for (int k = 1; k <= 20; ++k) degrees.push_back(4.0 * k);
  const ExampleSet set = elbowAt(arm, degrees);
  EXPECT_EQ(holdOutExamples(arm, set, 0.2), (Numbers{2, 7, 12, 17}));
  EXPECT_EQ(holdOutExamples(arm, set, 0.001).size(), 1u);
  EXPECT_EQ(holdOutExamples(arm, set, 0.999).size(), 19u);
}

TEST(HoldOutExamples, LeavesADriverItsOnlyExample) {
  const Character arm = testArm();
  ExampleSet set = elbowAt(arm, {20, 40, 60, 80});
  const auto upper = toSize(arm.skeleton.index("upper"));
  for (const std::size_t only : {0u, 1u, 2u, 3u}) {
    ExampleSet one = set;
    one.drivers = {{"lower", 1}, {"upper", 1}};
    one.examples[only].pose.local[upper].rotation = Quat(Eigen::AngleAxisd(0.5, Vec3::UnitY()));
    const Numbers held = holdOutExamples(arm, one, 0.5);
    EXPECT_EQ(held.size(), 2u);
    EXPECT_EQ(std::count(held.begin(), held.end(), only), 0) << only;
  }
}

TEST(HoldOutExamples, RefusesWhereNothingCanBeHeldOut) {
  const Character arm = testArm();
  EXPECT_THROW(static_cast<void>(holdOutExamples(arm, elbowAt(arm, {30}), 0.5)), Error);
  EXPECT_THROW(static_cast<void>(holdOutExamples(arm, elbowAt(arm, {30, 60}), 1)), Error);
  ExampleSet each = elbowAt(arm, {30, 0});
  each.drivers = {{"lower", 1}, {"upper", 1}};
  each.examples[1].pose.local[toSize(arm.skeleton.index("upper"))].rotation =
      Quat(Eigen::AngleAxisd(0.5, Vec3::UnitY()));
  EXPECT_THROW(static_cast<void>(holdOutExamples(arm, each, 0.5)), Error);
  try {
    static_cast<void>(foldsOfExamples(arm, each, 2));
    ADD_FAILURE() << "an example without which a driver does not move was held out";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("add examples that move the same joints"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace sinew::test::choose_examples_test
