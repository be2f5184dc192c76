#include "sinew/character/validate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/test_arm.h"

namespace sinew::validate_test {
namespace {

/// The problem whose sentence holds `words`, which must be the only such one.
const Problem* find(const std::vector<Problem>& problems, const std::string& words) {
  const Problem* found = nullptr;
  for (const Problem& problem : problems) {
    if (problem.sentence.find(words) == std::string::npos) continue;
    EXPECT_EQ(found, nullptr) << problem.sentence;
    found = &problem;
  }
  return found;
}

void expectOnly(const Character& character, Severity severity, const std::string& words) {
  std::vector<Problem> problems = findProblems(character);
  // The test arm's root moves nothing by itself.
  std::erase_if(problems, [](const Problem& p) { return p.sentence.find("'root'") != std::string::npos; });
  ASSERT_EQ(problems.size(), 1u) << (problems.empty() ? "nothing found" : problems[1].sentence);
  EXPECT_NE(problems[0].sentence.find(words), std::string::npos) << problems[0].sentence;
  EXPECT_EQ(problems[0].severity, severity);
}

TEST(FindProblems, SoundArmHasOnlyANoteOnItsIdleRoot) {
  const auto problems = findProblems(test::testArm());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].severity, Severity::Note);
  EXPECT_EQ(problems[0].sentence, "1 joint moves no vertex of the skin (the first is 'root')");
}

TEST(FindProblems, EmptyCharacterHasNone) {
  EXPECT_TRUE(findProblems({}).empty());
}

TEST(FindProblems, DegenerateFacesAreCounted) {
  Character arm = test::testArm();
  arm.mesh.faces.add(std::array<std::uint32_t, 3>{0, 1, 1});
  arm.mesh.faces.add(std::array<std::uint32_t, 3>{12, 24, 36});  // on one line
  const auto problems = findProblems(arm);
  const Problem* problem = find(problems, "2 faces have no area");
  ASSERT_NE(problem, nullptr);
  EXPECT_NE(problem->sentence.find("face 240"), std::string::npos) << problem->sentence;
}

TEST(FindProblems, RepeatedFacesAndCrowdedEdges) {
  Character arm = test::testArm();
  const auto copy = arm.mesh.faces[0];
  const std::vector<std::uint32_t> backwards(copy.rbegin(), copy.rend());
  arm.mesh.faces.add(backwards);
  const auto problems = findProblems(arm);
  EXPECT_NE(find(problems, "1 face repeats"), nullptr);
  EXPECT_NE(find(problems, "more than two faces"), nullptr);
}

TEST(FindProblems, SeamsAreNotBorders) {
  // Two quads and a third on the same edge, each with its own vertices: only welding sees that they meet.
  Character book;
  book.mesh.points.resize(3, 12);
  for (Index page = 0; page < 3; ++page) {
    const double angle = static_cast<double>(page);
    const Vec3 out(std::cos(angle), std::sin(angle), 0);
    book.mesh.points.middleCols<4>(4 * page) << Vec3(0, 0, 0), Vec3(0, 0, 1), out + Vec3(0, 0, 1), out;
    const auto first = static_cast<std::uint32_t>(4 * page);
    book.mesh.faces.add(std::array{first, first + 1, first + 2, first + 3});
  }
  expectOnly(book, Severity::Warning, "1 edge has more than two faces (the first runs from vertex 0 to 1)");
}

TEST(FindProblems, UnusedVerticesAreNoted) {
  Character arm = test::testArm();
  arm.skin = {};
  arm.mesh.points.conservativeResize(3, 254);
  arm.mesh.points.rightCols<2>().setZero();
  arm.mesh.parts[0].vertexCount = 254;
  expectOnly(arm, Severity::Note, "2 vertices belong to no face (the first is vertex 252)");
}

TEST(FindProblems, JointNamesAndRotations) {
  Character arm = test::testArm();
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints[2].name = "upper";
  arm.skeleton = Skeleton(joints);
  expectOnly(arm, Severity::Warning, "1 joint has the name of an earlier one (the first is joint 2, 'upper'");
  joints[2].name = "";
  arm.skeleton = Skeleton(joints);
  expectOnly(arm, Severity::Note, "1 joint has no name");
  joints[2].name = "lower";
  joints[2].rest.rotation.coeffs() *= 1.1;
  arm.skeleton = Skeleton(joints);
  expectOnly(arm, Severity::Warning, "not a unit quaternion (the first is 'lower')");
}

TEST(FindProblems, BindMatricesMustInvert) {
  Character arm = test::testArm();
  arm.skin.bindings[2].jointFromRest.linear().row(1).setZero();
  expectOnly(arm, Severity::Fault, "cannot be inverted (the first is 'lower')");
  arm = test::testArm();
  arm.skin.bindings[2].jointFromRest.linear() *= 1e-6;  // small is not singular
  EXPECT_EQ(findProblems(arm).size(), 1u);
}

TEST(FindProblems, MoreThanEightInfluences) {
  Character arm = test::testArm();
  arm.skin.bindings.assign(9, arm.skin.bindings[1]);
  std::vector<std::vector<Influence>> columns(252);
  for (std::uint32_t v = 0; v < 252; ++v) {
    if (v != 7) {
      columns[v] = {{v % 9, 1.0}};
      continue;
    }
    for (std::uint32_t b = 0; b < 9; ++b) columns[v].push_back({b, 1.0 / 9});
  }
  arm.skin.weights = SkinWeights::fromColumns(9, columns);
  expectOnly(arm, Severity::Warning, "1 vertex is moved by more than 8 joints (the first is vertex 7)");
}

TEST(FindProblems, ClipsWithoutKeysAndWithKeysOutOfOrder) {
  Character arm = test::testArm();
  arm.clips = {{"still", {}}};
  expectOnly(arm, Severity::Warning, "clip 'still' has no keys");
  ClipChannel channel;
  channel.path = ClipPath::Rotation;
  channel.times = {1, 0};
  channel.values.setZero(4, 2);
  channel.values.row(3).setOnes();
  arm.clips = {{"", {channel}}};
  expectOnly(arm, Severity::Fault, "clip '0': 1 channel has keys whose times do not ascend");
  arm.clips[0].channels[0].times = {0, 1};
  arm.clips[0].channels[0].values *= 2;
  expectOnly(arm, Severity::Warning, "not unit quaternions");
}

TEST(FindProblems, BrokenCharacterIsOneFaultAndNoException) {
  Character arm = test::testArm();
  arm.mesh.points(0, 3) = std::nan("");
  auto problems = findProblems(arm);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].severity, Severity::Fault);
  EXPECT_NE(problems[0].sentence.find("vertex 3"), std::string::npos) << problems[0].sentence;
  arm = test::testArm();
  arm.mesh.faces.corner[0] = 9999;
  problems = findProblems(arm);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].severity, Severity::Fault);
}

}  // namespace
}  // namespace sinew::validate_test
