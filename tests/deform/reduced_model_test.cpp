#include "sinew/deform/reduced_model.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/message_of.h"

namespace sinew::reduced_model_test {
namespace {

/// Three points and two controls: the second moves by (0, 1, 0) in example `lift`.
ReducedModel smallModel() {
  ReducedModel model;
  model.rest.resize(3, 3);
  model.rest << 0, 1, 2, 0, 0, 0, 0, 0, 0;
  const std::vector<std::vector<Influence>> columns{{{0, 1.0}}, {{0, 0.5}, {1, 0.5}}, {{1, 1.0}}};
  model.weights = SkinWeights::fromColumns(2, columns);
  Affine lifted = Affine::Identity();
  lifted.translation() = Vec3(0, 1, 0);
  model.names = {"rest", "lift"};
  model.controls = {{Affine::Identity(), Affine::Identity()}, {Affine::Identity(), lifted}};
  model.inputFromAligned.assign(2, Eigen::Isometry3d::Identity());
  model.restExample = 0;
  model.labels = {0, 1};
  model.parents = {-1, 0};
  return model;
}

TEST(ReducedModel, IdentityControlsGiveTheRest) {
  const ReducedModel model = smallModel();
  Points moved(3, 3);
  deformReduced(model, model.controls[0], moved);
  EXPECT_EQ(moved, model.rest);
}

TEST(ReducedModel, BlendsControlsByWeight) {
  const ReducedModel model = smallModel();
  Points moved(3, 3);
  deformReduced(model, model.controls[1], moved);
  EXPECT_EQ(moved.col(0), Vec3(0, 0, 0));
  EXPECT_EQ(moved.col(1), Vec3(1, 0.5, 0));
  EXPECT_EQ(moved.col(2), Vec3(2, 1, 0));
}

TEST(ReducedModel, AcceptsItsOwnAndRefusesWhatDoesNotFit) {
  using test::messageOf;
  checkReducedModel(smallModel(), "test");
  const auto refusal = [](auto change) {
    ReducedModel model = smallModel();
    change(model);
    return messageOf([&] { checkReducedModel(model, "test"); });
  };
  EXPECT_NE(refusal([](ReducedModel& m) { m.rest.conservativeResize(3, 2); }).find("has weights for 3 of 2"),
            std::string::npos);
  EXPECT_NE(refusal([](ReducedModel& m) { m.names.pop_back(); }).find("2 examples, but 1 names"), std::string::npos);
  EXPECT_NE(refusal([](ReducedModel& m) { m.restExample = 2; }).find("example 2 of 2"), std::string::npos);
  EXPECT_NE(refusal([](ReducedModel& m) { m.controls[1].pop_back(); }).find("'lift'"), std::string::npos);
  EXPECT_NE(refusal([](ReducedModel& m) { m.labels[1] = 2; }).find("control 2 of 2"), std::string::npos);
  EXPECT_NE(refusal([](ReducedModel& m) { m.parents = {1, 0}; }).find("cycle"), std::string::npos);
  EXPECT_NE(refusal([](ReducedModel& m) {
              m.controls[1][0].translation()[0] = std::numeric_limits<double>::quiet_NaN();
            }).find("'lift'"),
            std::string::npos);
  EXPECT_NE(refusal([](ReducedModel& m) { m.proxies.positions.resize(3, 1); }).find("proxies"), std::string::npos);
}

TEST(ReducedModel, RefusesAnotherNumberOfTransforms) {
  const ReducedModel model = smallModel();
  Points moved(3, 3);
  EXPECT_NE(test::messageOf([&] { deformReduced(model, {Affine::Identity()}, moved); }).find("1 transforms"),
            std::string::npos);
}

}  // namespace
}  // namespace sinew::reduced_model_test
