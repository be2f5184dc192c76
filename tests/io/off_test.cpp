#include "sinew/io/off.h"

#include <gtest/gtest.h>

#include "formats_support.h"
#include "support/test_arm.h"

namespace sinew::test::off_test {
namespace {

CharacterFile parse(const std::string& text, const ReadOptions& options = {}) {
  return parseOff(text, "shape.off", options);
}

std::string written(const CharacterFile& file) {
  LostList lost;
  return formatOff(file, {}, lost);
}

void expectParseRefused(const std::string& text, const std::vector<std::string>& words) {
  expectRefused([&] { parse(text); }, words);
}

const std::string kQuad =
    "OFF\n# a quad and a triangle\n4 2 0\n\n0 0 0\n1 0 0 # right\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2 255 0 0\n";

TEST(Off, ReadsPolygonsCommentsAndColours) {
  const CharacterFile file = parse(kQuad);
  const Mesh& mesh = file.character.mesh;
  EXPECT_EQ(mesh.vertexCount(), 4);
  EXPECT_EQ(mesh.points.col(2), Vec3(1, 1, 0));
  ASSERT_EQ(mesh.faces.size(), 2u);
  EXPECT_EQ(mesh.faces[0].size(), 4u);
  EXPECT_EQ(mesh.faces[1][2], 2u);
  EXPECT_EQ(file.format, "OFF");
}

TEST(Off, TakesCountsInTheFirstLineAndAMissingKeyword) {
  const std::string body = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  EXPECT_EQ(parse("OFF 3 1 0\n" + body).character.mesh.faces.size(), 1u);
  EXPECT_EQ(parse("OFF 3 1\r\n" + body).character.mesh.faces.size(), 1u);
  EXPECT_EQ(parse("3 1 0\n" + body).character.mesh.faces.size(), 1u);
}

TEST(Off, ReadsNormalsColoursAndTexture) {
  const CharacterFile normals = parse("NOFF\n3 1 0\n0 0 0 0 0 2\n1 0 0 0 0 2\n0 1 0 0 0 2\n3 0 1 2\n");
  EXPECT_EQ(normals.character.mesh.normals.col(1), Vec3::UnitZ());
  EXPECT_EQ(parse("COFF\n1 0 0\n1 2 3 255 0 0 255\n").character.mesh.points.col(0), Vec3(1, 2, 3));
  const CharacterFile texture = parse("STCNOFF\n1 0 0\n1 2 3 0 0 1 255 0 0 255 0.25 0.75\n");
  EXPECT_EQ(texture.character.mesh.uvs.col(0), Eigen::Vector2d(0.25, 0.25));
  EXPECT_EQ(texture.character.mesh.normals.col(0), Vec3::UnitZ());
}

TEST(Off, PutsBackWhatItRead) {
  CharacterFile file = parse(kQuad);
  EXPECT_EQ(written(file), kQuad);
  file.character.mesh.points(0, 1) = 0.1;
  std::string expected = kQuad;
  expected.replace(expected.find("1 0 0 #"), 5, "0.1 0 0");
  EXPECT_EQ(written(file), expected);
}

TEST(Off, MakesNormalsAnewWherePointsMoved) {
  CharacterFile file = parse("NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n");
  file.character.mesh.points.col(2) = Vec3(0, 0, 1);
  EXPECT_EQ(written(file), "NOFF\n3 1 0\n0 0 0 0 -1 0\n1 0 0 0 -1 0\n0 0 1 0 -1 0\n3 0 1 2\n");
}

TEST(Off, WritesACharacterAndTellsWhatItLoses) {
  CharacterFile file;
  file.character = testArm(5, 4);
  LostList lost;
  const CharacterFile back = parse(formatOff(file, {}, lost));
  EXPECT_EQ(back.character.mesh.points, file.character.mesh.points);
  EXPECT_EQ(back.character.mesh.faces.corner, file.character.mesh.faces.corner);
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[1], "OFF does not support skin weights");
  file.character.mesh.uvs.setZero(2, file.character.mesh.vertexCount());
  file.character.mesh.normals = Vec3::UnitX().replicate(1, file.character.mesh.vertexCount());
  lost.clear();
  EXPECT_EQ(parse(formatOff(file, {}, lost)).character.mesh.normals, file.character.mesh.normals);
  EXPECT_EQ(lost.size(), 3u);
}

TEST(Off, RefusesWhatItDoesNotUnderstand) {
  expectParseRefused("PLY\n1 0 0\n", {"shape.off", "does not start with OFF"});
  expectParseRefused("4OFF\n1 0 0\n", {"'4OFF'", "save the mesh as OFF"});
  expectParseRefused("OFF BINARY\n1 0 0\n", {"binary OFF", "save the mesh as text"});
  expectParseRefused(std::string("OFF\0\1", 5), {"not a text file"});
  expectParseRefused("OFF\n", {"numbers of vertices"});
  expectParseRefused("OFF\n-1 0 0\n", {"line 2", "'-1'"});
  expectParseRefused("OFF\n0 0 0\n", {"no vertices"});
}

TEST(Off, RefusesBrokenVerticesAndFaces) {
  const std::string head = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n";
  expectParseRefused("OFF\n1 0 0\n1 2\n", {"line 3", "too few numbers"});
  expectParseRefused("OFF\n1 0 0\n1 2 x\n", {"line 3", "'x'"});
  expectParseRefused("OFF\n1 0 0\n1 2 nan\n", {"line 3", "'nan'", "not a finite number"});
  expectParseRefused(head + "3 0 1 3\n", {"line 6", "vertex '3'", "has 3 vertices"});
  expectParseRefused(head + "3 0 1 -1\n", {"vertex '-1'"});
  expectParseRefused(head + "2 0 1\n", {"2 corners", "at least 3"});
  expectParseRefused(head + "4 0 1 2\n", {"has 3 corners, but declares 4"});
}

TEST(Off, BelievesCountsOnlyAsFarAsLinesFollow) {
  expectParseRefused("OFF\n9000000000000000000 1 0\n0 0 0\n", {"ends after 1 of the 9000000000000000000 vertices"});
  expectParseRefused("OFF\n1 4000000000 0\n0 0 0\n", {"ends after 0 of the 4000000000 faces"});
  expectParseRefused("OFF\n1 1 0\n0 0 0\n4000000000 0 0 0\n", {"has 3 corners, but declares 4000000000"});
}

TEST(Off, MendsNumbersThatAreNotFiniteWhereItMay) {
  const CharacterFile file = parse("OFF\n1 0 0\n1 nan inf\n", {.tolerant = true});
  EXPECT_EQ(file.character.mesh.points.col(0), Vec3(1, 0, 0));
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_EQ(written(file), "OFF\n1 0 0\n1 0 0\n");
}

}  // namespace
}  // namespace sinew::test::off_test
