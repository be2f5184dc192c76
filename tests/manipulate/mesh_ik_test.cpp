#include "sinew/manipulate/mesh_ik.h"

#include <gtest/gtest.h>

#include "manipulate/bending_bar.h"
#include "support/message_of.h"

namespace sinew::mesh_ik_test {
namespace {

struct BarMeshes {
  ReducedModel model = test::bendingBar();
  std::vector<Triangle> triangles = test::barTriangles();
  std::vector<Points> examples;

  BarMeshes() {
    for (std::size_t p = 1; p < model.exampleCount(); ++p) examples.push_back(test::skinned(model, model.controls[p]));
  }
};

TEST(MeshIk, BlendOfOneExampleIsTheExample) {
  const BarMeshes bar;
  MeshIk ik(bar.model.rest, bar.triangles, bar.examples);
  for (std::size_t p = 0; p < bar.examples.size(); ++p) {
    const MeshIkResult result = ik.blend(Eigen::VectorXd::Unit(3, static_cast<Index>(p)));
    EXPECT_LT((result.points - bar.examples[p]).cwiseAbs().maxCoeff(), 1e-6);
  }
  EXPECT_LT((ik.blend(Eigen::VectorXd::Zero(3)).points - bar.model.rest).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(MeshIk, FindsAnExampleFromItsHandles) {
  const BarMeshes bar;
  MeshIk ik(bar.model.rest, bar.triangles, bar.examples, {.stop = 1e-6, .restPull = 1e-6});
  const std::vector<Index> handles = {0, 4, 164, 320, 324};
  ik.setHandles(handles);
  for (std::size_t p = 0; p < bar.examples.size(); ++p) {
    const Points targets = bar.examples[p](Eigen::all, handles);
    const MeshIkResult result = ik.solve(targets);
    EXPECT_LT(result.residualMax, 1e-12);
    EXPECT_NEAR(result.weights[static_cast<Index>(p)], 1, 0.02) << result.weights.transpose();
    EXPECT_LT((result.points - bar.examples[p]).colwise().norm().maxCoeff(), 0.02) << "example " << p;
  }
}

TEST(MeshIk, StopsWhereTheObjectiveIsFlat) {
  const BarMeshes bar;
  const std::vector<Index> handles = {0, 4, 324};
  Points targets = bar.model.rest(Eigen::all, handles);
  targets.col(2) += Vec3(-0.3, 0.9, 0.2);
  const auto objectiveAt = [&](const Eigen::VectorXd& weights) {
    // A step that is not taken: without a required gain, the objective of the start is returned.
    MeshIk ik(bar.model.rest, bar.triangles, bar.examples, {.mostIterations = 0});
    ik.setHandles(handles);
    return ik.solve(targets, &weights).objective;
  };
  MeshIk ik(bar.model.rest, bar.triangles, bar.examples, {.mostIterations = 60, .stop = 1e-10});
  ik.setHandles(handles);
  const MeshIkResult found = ik.solve(targets);
  EXPECT_NEAR(objectiveAt(found.weights), found.objective, 1e-6 * found.objective);
  for (Index p = 0; p < 3; ++p) {
    for (const double step : {-0.05, 0.05})
      EXPECT_GT(objectiveAt(found.weights + step * Eigen::VectorXd::Unit(3, p)), found.objective);
  }
}

TEST(MeshIk, TakesTheMeanTargetOfAVertexNamedTwice) {
  const BarMeshes bar;
  MeshIk ik(bar.model.rest, bar.triangles, bar.examples);
  ik.setHandles(std::vector<Index>{10, 10});
  Points targets(3, 2);
  targets << bar.model.rest.col(10) + Vec3(0.2, 0, 0), bar.model.rest.col(10);
  const MeshIkResult result = ik.solve(targets);
  EXPECT_LT((result.points - (bar.model.rest.colwise() + Vec3(0.1, 0, 0))).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_NEAR(result.residualMax, 0.1, 1e-9);
}

TEST(MeshIk, LeavesVerticesWithoutTrianglesAtTheBlendOfTheExamples) {
  BarMeshes bar;
  bar.model.rest.conservativeResize(3, bar.model.rest.cols() + 1);
  bar.model.rest.rightCols<1>() = Vec3(9, 9, 9);
  for (Points& example : bar.examples) {
    example.conservativeResize(3, example.cols() + 1);
    example.rightCols<1>() = Vec3(9, 10, 9);
  }
  MeshIk ik(bar.model.rest, bar.triangles, bar.examples);
  const MeshIkResult result = ik.blend(Eigen::VectorXd::Unit(3, 1));
  EXPECT_LT((result.points.rightCols<1>() - Vec3(9, 10, 9)).norm(), 1e-9);
}

TEST(MeshIk, RefusesWhatDoesNotFit) {
  const BarMeshes bar;
  MeshIk ik(bar.model.rest, bar.triangles, bar.examples);
  EXPECT_NE(test::messageOf([&] { ik.setHandles(std::vector<Index>{9999}); }).find("9999"), std::string::npos);
  EXPECT_NE(test::messageOf([&] { (void)ik.solve(Points::Zero(3, 2)); }).find("2 targets"), std::string::npos);
  std::vector<Points> other{Points::Zero(3, 4)};
  EXPECT_NE(test::messageOf([&] { MeshIk(bar.model.rest, bar.triangles, other); }).find("4 vertices"),
            std::string::npos);
}

}  // namespace
}  // namespace sinew::mesh_ik_test
