#include "sinew/io/obj.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "formats_support.h"
#include "sinew/base/random.h"
#include "support/test_arm.h"

namespace sinew::test::obj_test {
namespace {

CharacterFile parse(const std::string& text, const ReadOptions& options = {}) {
  return parseObj(text, "folder/shape.obj", options);
}

std::string written(const CharacterFile& file) {
  LostList lost;
  return formatObj(file, {}, lost);
}

LostList lostBy(const CharacterFile& file) {
  LostList lost;
  formatObj(file, {}, lost);
  return lost;
}

void expectParseRefused(const std::string& text, const std::vector<std::string>& words) {
  expectRefused([&] { parse(text); }, words);
}

std::vector<std::uint32_t> corners(const CharacterFile& file, std::size_t face) {
  const auto list = file.character.mesh.faces[face];
  return {list.begin(), list.end()};
}

using Corners = std::vector<std::uint32_t>;

const std::string kFourVertices = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(ObjReader, TakesEveryVertexInFileOrderAlsoUnusedOnes) {
  const CharacterFile file = parse("v 1 2 3\nv 4 5 6\nv 7 8 9\nv -1.5e-3 +2 .25\nf 1 2 4\n");
  const Mesh& mesh = file.character.mesh;
  ASSERT_EQ(mesh.vertexCount(), 4);
  EXPECT_EQ(mesh.points.col(3), Vec3(-1.5e-3, 2, 0.25));
  EXPECT_EQ(corners(file, 0), (Corners{0, 1, 3}));
  EXPECT_EQ(file.format, "OBJ");
  EXPECT_EQ(file.character.name, "shape");
  ASSERT_EQ(mesh.parts.size(), 1u);
  EXPECT_EQ(mesh.parts[0].name, "shape");
  EXPECT_EQ(mesh.parts[0].vertexCount, 4);
  EXPECT_FALSE(file.character.hasSkin());
  EXPECT_TRUE(file.character.skeleton.empty());
  EXPECT_TRUE(file.problems.empty());
}

TEST(ObjReader, KeepsQuadsAndPolygons) {
  const CharacterFile file = parse(kFourVertices + "v 2 2 0\nf 1 2 3 4\nf 1 2 3 4 5\nf 1 2 3\n");
  ASSERT_EQ(file.character.mesh.faces.size(), 3u);
  EXPECT_EQ(corners(file, 0), (Corners{0, 1, 2, 3}));
  EXPECT_EQ(corners(file, 1).size(), 5u);
}

TEST(ObjReader, UnderstandsEveryFormOfCorner) {
  const CharacterFile file = parse(
      kFourVertices + "vt 0 0\nvt 1 .25\nvn 0 0 1\nf 1/1/1 2/2/1 3/1/1\nf 1/1 2/2 3/1\nf 1//1 2//1 3//1\nf 1 2 3\n");
  ASSERT_EQ(file.character.mesh.faces.size(), 4u);
  for (std::size_t f = 0; f < 4; ++f) EXPECT_EQ(corners(file, f), (Corners{0, 1, 2}));
}

TEST(ObjReader, CountsNegativeIndicesBackFromTheLineTheyStandIn) {
  const CharacterFile file = parse("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 5 5 5\nf -4 -3 -1\n");
  EXPECT_EQ(corners(file, 0), (Corners{0, 1, 2}));
  EXPECT_EQ(corners(file, 1), (Corners{0, 1, 3}));
}

TEST(ObjReader, AllowsFacesBeforeTheirVertices) {
  EXPECT_EQ(corners(parse("f 1 2 3\n" + kFourVertices), 0), (Corners{0, 1, 2}));
}

TEST(ObjReader, TurnsTextureCoordinatesUpsideDown) {
  const CharacterFile file = parse(kFourVertices + "vt 0.25 0.75\nvt 1\nf 1/1 2/2 3/1\n");
  const Mesh& mesh = file.character.mesh;
  EXPECT_EQ(mesh.uvs.col(0), Eigen::Vector2d(0.25, 0.25));
  EXPECT_EQ(mesh.uvs.col(1), Eigen::Vector2d(1, 1));
  EXPECT_EQ(mesh.cornerUv, (Corners{0, 1, 0}));
}

TEST(ObjReader, GivesCornersWithoutTextureTheOriginWhereOthersHaveOne) {
  const Mesh mesh = parse(kFourVertices + "vt 0.25 0.75\nf 1/1 2/1 3/1\nf 1 2 3\n").character.mesh;
  EXPECT_EQ(mesh.cornerUv, (Corners{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(mesh.uvs.col(1), Eigen::Vector2d(0, 1));
}

TEST(ObjReader, HasNormalsOnlyWhereEveryVertexHasExactlyOne) {
  const std::string three = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 2\nvn 0 0 -1\n";
  EXPECT_EQ(parse(three + "f 1//1 2//1 3//1\n").character.mesh.normals, Points(Vec3::UnitZ().replicate(1, 3)));
  EXPECT_EQ(parse(three + "f 1//1 2//1 3//1\nf 1//2 2//2 3//2\n").character.mesh.normals.cols(), 0);
  EXPECT_EQ(parse(three + "v 9 9 9\nf 1//1 2//1 3//1\n").character.mesh.normals.cols(), 0);
}

TEST(ObjReader, JoinsContinuedLines) {
  const CharacterFile file = parse("v 0 \\\n 0 0\nv 1 0\\\n 0\nv 1 1 0\nf 1 \\\r\n2 \\\n\\\n3\n");
  EXPECT_EQ(file.character.mesh.points.col(1), Vec3(1, 0, 0));
  EXPECT_EQ(corners(file, 0), (Corners{0, 1, 2}));
}

TEST(ObjReader, CommentThatEndsInABackslashDoesNotSwallowTheNextLine) {
  EXPECT_EQ(parse("# made in C:\\\nv 1 2 3\n", {.facesOptional = true}).character.mesh.vertexCount(), 1);
}

TEST(ObjReader, TakesEveryKindOfLineBreak) {
  for (const std::string lineBreak : {"\n", "\r\n", "\r"}) {
    std::string text = "# a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3";
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + lineBreak.size()))
      text.replace(at, 1, lineBreak);
    EXPECT_EQ(parse(text).character.mesh.vertexCount(), 3);
    EXPECT_EQ(parse(text).character.mesh.faces.size(), 1u);
    EXPECT_EQ(written(parse(text)), text);
  }
}

TEST(ObjReader, PassesOverByteOrderMarkCommentsNamesAndElements) {
  const CharacterFile file = parse(
      "\xEF\xBB\xBFv 0 0 0 # origin\n  v 1 0 0\n\tv 0 1 0\no body\ng a b\ns 1\nusemtl skin\n"
      "mtllib my skin.mtl\nl 1 2\np 1\nf 1 2 3 # the face\n");
  EXPECT_EQ(file.character.mesh.vertexCount(), 3);
  EXPECT_EQ(file.character.mesh.faces.size(), 1u);
  EXPECT_TRUE(file.problems.empty()) << file.problems.front();
}

TEST(ObjReader, TellsLinesThatItDoesNotUnderstand) {
  const CharacterFile file = parse("v 0 0 0\ncstype bezier\nsurf 0 1 0 1 1\n", {.facesOptional = true});
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.problems[0].find("2 lines"), std::string::npos);
  EXPECT_NE(file.problems[0].find("line 2: 'cstype'"), std::string::npos);
}

TEST(ObjReader, TakesVeryLongLines) {
  std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n# " + std::string(300000, 'x') + "\nf";
  for (int i = 0; i < 50000; ++i) text += " 1 2 3";
  EXPECT_EQ(corners(parse(text), 0).size(), 150000u);
}

TEST(ObjReader, RefusesIndicesBeyondTheVertices) {
  expectParseRefused(kFourVertices + "\nf 1 2 9\n", {"shape.obj", "line 6", "vertex 9", "only 4 vertices", "fix"});
  expectParseRefused(kFourVertices + "f 1 2 -5\n", {"line 5", "vertex -5", "only 4 before"});
  expectParseRefused(kFourVertices + "f 1 2 0\n", {"line 5", "vertex 0", "number 1"});
  expectParseRefused(kFourVertices + "f 1 2 99999999999999999999999\n", {"line 5", "only 4 before"});
  expectParseRefused(kFourVertices + "f 1 2 -99999999999999999999999\n", {"line 5", "only 4 before"});
  expectParseRefused(kFourVertices + "f 1 2 4294967297\n", {"line 5", "vertex 4294967297"});
  expectParseRefused(kFourVertices + "vt 0 0\nf 1/1 2/2 3/1\n",
                     {"line 6", "texture coordinate 2", "only 1 texture coordinate;"});
  expectParseRefused(kFourVertices + "f 1//1 2//1 3//1\n", {"line 5", "normal 1", "only 0 normals"});
}

TEST(ObjReader, RefusesBrokenCorners) {
  const std::string before = kFourVertices + "vt 0 0\nvn 0 0 1\nf 1 2 ";
  for (const char* corner : {"x", "/1", "//1", "1/x", "1/1/x", "1/1/1/1", "1.5", "1/1/1/", "--1", "+-1"})
    expectParseRefused(before + corner + "\n", {"line 7", fmt::format("'{}'", corner), "v/vt/vn"});
}

TEST(ObjReader, RefusesFacesWithFewerThanThreeCorners) {
  expectParseRefused(kFourVertices + "f 1 2\n", {"line 5", "2 corners", "at least 3"});
  expectParseRefused(kFourVertices + "f 1\n", {"1 corner,", "at least 3"});
  expectParseRefused(kFourVertices + "f\n", {"0 corners"});
}

TEST(ObjReader, RefusesBrokenNumbers) {
  expectParseRefused("v 0 0 0\nv 1 x 0\n", {"shape.obj", "line 2", "'x'", "number"});
  expectParseRefused("v 1 2\n", {"line 1", "too few numbers"});
  expectParseRefused("v\n", {"line 1", "too few numbers"});
  expectParseRefused("v 1,5 2 3\n", {"'1,5'"});
  expectParseRefused("v 1 2 3\nvn 1 2\n", {"line 2", "normal", "too few"});
  expectParseRefused("v 1 2 3\nvt\n", {"line 2", "texture coordinate", "too few"});
  for (const std::string value : {"nan", "inf", "-inf", "1e999", "NaN"})
    expectParseRefused("v 0 0 0\nv 0 " + value + " 0\n", {"line 2", "'" + value + "'", "not a finite number"});
}

TEST(ObjReader, TakesNumbersThatAreTooSmallAsZero) {
  EXPECT_EQ(parse("v 1e-999 0 0\n", {.facesOptional = true}).character.mesh.points.col(0), Vec3(0, 0, 0));
}

TEST(ObjReader, MendsCoordinatesThatAreNotFiniteWhereItMay) {
  const CharacterFile file = parse("v 1 nan 3\nv 1 2 inf\nv 1 1 1\nvt nan 0\nf 1/1 2/1 3/1\n", {.tolerant = true});
  EXPECT_EQ(file.character.mesh.points.col(0), Vec3(1, 0, 3));
  EXPECT_EQ(file.character.mesh.points.col(1), Vec3(1, 2, 0));
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.problems[0].find("3 coordinates"), std::string::npos) << file.problems[0];
  EXPECT_NE(file.problems[0].find("line 1"), std::string::npos) << file.problems[0];
  EXPECT_EQ(parse(written(file), {.tolerant = true}).problems.size(), 1u) << "texture coordinates keep their text";
  EXPECT_NE(written(file).find("v 1 0 3\nv 1 2 0\n"), std::string::npos) << written(file);
}

TEST(ObjReader, TellsNormalsThatAreNotNumbers) {
  const CharacterFile file = parse(kFourVertices + "vn nan nan nan\nf 1//1 2//1 3//1 4//1\n");
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_EQ(file.character.mesh.normals.cols(), 0);
}

TEST(ObjReader, RefusesAFileThatIsCutOffBeforeItsFacesUnlessPointsAreEnough) {
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  expectRefused([&] { parseObj(points, "cut.obj"); }, {"cut.obj", "3 vertices but no faces", "truncated"});
  EXPECT_EQ(parseObj(points, "points.obj", {.facesOptional = true}).character.mesh.vertexCount(), 3);
}

TEST(ObjReader, RefusesFilesWithoutVerticesAndFilesThatAreNotText) {
  expectParseRefused("# nothing\n", {"shape.obj", "no vertices"});
  expectParseRefused("hello world", {"no vertices"});
  expectParseRefused(std::string("v 0 0 0\n\0\1\2", 11), {"not a text file"});
  expectParseRefused("glTF\x02\x01garbage\xff\xfe\n v \xff\xfe\x01 2 3\n", {"line 2", "instead of a number"});
}

TEST(ObjReader, RefusesMissingAndEmptyFilesAndFolders) {
  const TemporaryFolder folder;
  expectRefused([&] { readObj(folder / "no.obj"); }, {"no.obj", "no such file"});
  expectRefused([&] { readObj(folder.write("empty.obj", "")); }, {"empty.obj", "is empty"});
  expectRefused([&] { readObj(folder.path()); }, {"is a folder"});
}

const std::string kRichText =
    "# a comment\r\nmtllib skin.mtl\no body\nv   0 0 0.0000 0.1 0.2 0.3\nv 1.0 0 0 1\nv 1 1 0\nv 0 1 0\nv 2 2 0\n\n"
    "vt 0 0\nvt 1 0 0\ng front\ns off\nusemtl skin\nf 1/1 2/2 3/1 4/2\n  f   -5/1 -4/2 \\\n -3/1 -2/2 -1/2\nl 1 "
    "2\ncurv 0 1";

TEST(ObjWriter, PutsBackEveryByteOfAnUnchangedFile) {
  EXPECT_EQ(written(parse(kRichText)), kRichText);
  EXPECT_TRUE(lostBy(parse(kRichText)).empty());
}

TEST(ObjWriter, ReplacesOnlyThePositionsThatChanged) {
  CharacterFile file = parse(kRichText);
  file.character.mesh.points.col(0) = Vec3(1.0 / 3, -2, 1e-300);
  std::string expected = kRichText;
  expected.replace(expected.find("0 0 0.0000"), 10, "0.3333333333333333 -2 1e-300");
  EXPECT_EQ(written(file), expected);
}

TEST(ObjWriter, WritesDigitsThatReadBackAsTheSameDoubles) {
  Lcg random(7);
  CharacterFile file = parse(kRichText);
  for (int i = 0; i < 1000; ++i) {
    Points& points = file.character.mesh.points;
    for (Index v = 0; v < points.cols(); ++v) points.col(v) = random.vector() * std::pow(10, 40 * random.symmetric());
    EXPECT_EQ(parse(written(file)).character.mesh.points, points);
  }
}

const std::string kSmooth = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvn 0 0 1\n# between\nvn 0 0 1\nf 1//1 2//2 3//3\n";

TEST(ObjWriter, MakesNormalsAnewInTheirOwnLines) {
  CharacterFile file = parse(kSmooth);
  file.character.mesh.points.col(2) = Vec3(0, 0, 1);
  EXPECT_EQ(written(file), "v 0 0 0\nv 1 0 0\nv 0 0 1\nvn 0 -1 0\nvn 0 -1 0\n# between\nvn 0 -1 0\nf 1//1 2//2 3//3\n");
  EXPECT_TRUE(lostBy(file).empty());
}

TEST(ObjWriter, TakesNormalsThatWereGiven) {
  CharacterFile file = parse(kSmooth);
  file.character.mesh.normals.col(1) = Vec3(1, 0, 0);
  std::string expected = kSmooth;
  expected.replace(expected.rfind("vn 0 0 1\n#"), 8, "vn 1 0 0");
  EXPECT_EQ(written(file), expected);
}

TEST(ObjWriter, GivesEveryVertexItsOwnNormalWhereTheySharedOne) {
  CharacterFile file = parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/-1\nf 3 2 1\n");
  file.character.mesh.points.col(2) = Vec3(0, 0, 1);
  const std::string text = written(file);
  EXPECT_NE(text.find("f 1/1/1 2/1/2 3/1/3\nf 3 2 1\n"), std::string::npos) << text;
  EXPECT_EQ(parse(text).character.mesh.points, file.character.mesh.points);
}

TEST(ObjWriter, DropsNormalsThatCannotBeMadeAgainAndSaysSo) {
  CharacterFile file = parse(kFourVertices + "vt 0 0\nvn 0 0 1\nvn 0 1 0\nf 1//1 2//1 3//1\nf 1/1/2 2/1/2 4/1\n");
  EXPECT_TRUE(lostBy(file).empty()) << "nothing changed yet";
  file.character.mesh.points(2, 3) = 1;
  const LostList lost = lostBy(file);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_NE(lost[0].find("normals"), std::string::npos);
  EXPECT_EQ(written(file), "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 1\nvt 0 0\nf 1 2 3\nf 1/1 2/1 4/1\n");
}

TEST(ObjWriter, WritesACharacterThatWasMadeByCode) {
  const Character arm = testArm(5, 4);
  CharacterFile file;
  file.character = arm;
  file.character.clips.resize(2);
  file.character.morphs.resize(1);
  file.character.morphs[0].deltas.setZero(3, 1);
  const CharacterFile back = parse(written(file));
  EXPECT_EQ(back.character.mesh.points, arm.mesh.points);
  EXPECT_EQ(back.character.mesh.faces.corner, arm.mesh.faces.corner);
  EXPECT_EQ(back.character.mesh.faces.start, arm.mesh.faces.start);
  const LostList lost = lostBy(file);
  ASSERT_EQ(lost.size(), 4u);
  EXPECT_EQ(lost[0], "OBJ does not support the 3 joints");
  EXPECT_EQ(lost[1], "OBJ does not support skin weights");
  EXPECT_EQ(lost[2], "OBJ does not support the 1 morph target");
  EXPECT_EQ(lost[3], "OBJ does not support the 2 animation clips");
}

TEST(ObjWriter, TurnsTextureCoordinatesBackAndWritesNormals) {
  CharacterFile file = parse(kFourVertices + "vt 0.25 0.75\nvt 0.5 1\nf 1/1 2/2 3/1 4/2\n");
  file.source = nullptr;
  file.character.mesh.normals = Vec3::UnitZ().replicate(1, 4);
  const std::string text = written(file);
  EXPECT_NE(text.find("vt 0.25 0.75\nvt 0.5 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("o shape\nf 1/1/1 2/2/2 3/1/3 4/2/4\n"), std::string::npos) << text;
  file.character.mesh.cornerUv.clear();
  file.character.mesh.uvs = Eigen::Matrix2Xd::Constant(2, 4, 0.5);
  EXPECT_NE(written(file).find("f 1/1/1 2/2/2 3/3/3 4/4/4\n"), std::string::npos);
}

TEST(ObjWriter, LeavesOutPartsThatNoSkinMoves) {
  CharacterFile file = parse(kFourVertices + "v 5 5 5\nv 6 5 5\nv 5 6 5\nf 1 2 3\nf 5 6 7\n");
  file.source = nullptr;
  Mesh& mesh = file.character.mesh;
  mesh.parts.resize(2);
  mesh.parts[0] = {.name = "hat", .firstVertex = 0, .vertexCount = 4, .firstFace = 0, .faceCount = 1};
  mesh.parts[1] = {.name = "body", .firstVertex = 4, .vertexCount = 3, .firstFace = 1, .faceCount = 1};
  LostList lost;
  EXPECT_NE(formatObj(file, {.includeUnskinned = false}, lost).find("o hat"), std::string::npos) << "none is skinned";
  mesh.parts[1].skinned = true;
  EXPECT_EQ(formatObj(file, {.includeUnskinned = false}, lost), "v 5 5 5\nv 6 5 5\nv 5 6 5\no body\nf 1 2 3\n");
}

TEST(ObjWriter, WritesAPlainFileWhereTheFacesAreOthersAndSaysSo) {
  CharacterFile file = parse(kRichText);
  file.character.mesh.faces = {};
  file.character.mesh.faces.add(Corners{0, 1, 2});
  file.character.mesh.cornerUv.clear();
  file.character.mesh.uvs.resize(2, 0);
  file.character.mesh.parts[0].faceCount = 1;
  ASSERT_EQ(lostBy(file).size(), 1u);
  EXPECT_NE(lostBy(file)[0].find("comments, groups and materials"), std::string::npos);
  EXPECT_EQ(parse(written(file)).character.mesh.faces.size(), 1u);
}

TEST(ObjWriter, RefusesPointsThatAreNotFinite) {
  CharacterFile file = parse(kRichText);
  file.character.mesh.points(1, 2) = std::nan("");
  expectRefused([&] { written(file); }, {"OBJ"});
}

TEST(ObjWriter, TellsThatTheMaterialFileStaysWhereItIs) {
  const TemporaryFolder folder;
  folder.write("a/skin.mtl", "newmtl skin\n");
  const CharacterFile file = readObj(folder.write("a/x.obj", kRichText));
  std::filesystem::create_directories(folder / "b");
  EXPECT_TRUE(writeObj(folder / "a/y.obj", file).empty());
  const LostList lost = writeObj(folder / "b/y.obj", file);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_NE(lost[0].find("'skin.mtl' is still in"), std::string::npos);
  EXPECT_EQ(textOf(folder / "b/y.obj"), kRichText);
  std::filesystem::remove(folder / "a/skin.mtl");
  EXPECT_TRUE(writeObj(folder / "b/y.obj", file).empty()) << "there is no such material file";
}

TEST(ObjWriter, LeavesNothingBehindWhereTheOutputCannotBeWritten) {
  const TemporaryFolder folder;
  const CharacterFile file = parse(kRichText);
  expectRefused([&] { writeObj(folder / "no/x.obj", file); }, {"x.obj", "no folder", "create it"});
  std::filesystem::create_directory(folder / "x.obj");
  expectRefused([&] { writeObj(folder / "x.obj", file); }, {"x.obj", "is a folder"});
  EXPECT_EQ(folder.names(), std::vector<std::string>{"x.obj"});
}

TEST(ObjReader, ReadsAndWritesTheHorseWithoutLossInLittleTime) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder folder;
  unpackData("horse-poses.tar.gz", folder);
  std::filesystem::path rest;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (entry.path().filename().string().find("rest") != std::string::npos) rest = entry.path();
  }
  ASSERT_FALSE(rest.empty());
  const auto start = std::chrono::steady_clock::now();
  CharacterFile horse = readObj(rest);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", static_cast<int>(1000 * seconds.count()));
  EXPECT_EQ(horse.character.mesh.vertexCount(), 8431);
  EXPECT_EQ(horse.character.mesh.faces.size(), 16843u);
  EXPECT_EQ(written(horse), textOf(rest));
  horse.character.mesh.points *= 1.0 / 3;
  EXPECT_EQ(parse(written(horse)).character.mesh.points, horse.character.mesh.points);
}

}  // namespace
}  // namespace sinew::test::obj_test
