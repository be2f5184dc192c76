#include "sinew/io/formats.h"

#include <gtest/gtest.h>

#include <set>

#include "formats_support.h"
#include "support/test_arm.h"

namespace sinew::test::formats_test {
namespace {

const std::string kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

std::vector<std::string> namesOf(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (const auto& path : paths) names.push_back(path.filename().string());
  return names;
}

TEST(Formats, EachExtensionBelongsToOneRow) {
  std::set<std::string_view> names;
  std::set<std::string_view> extensions;
  for (const FormatRow& row : formats()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.read != nullptr || row.write != nullptr) << row.name;
    EXPECT_FALSE(row.extensions.empty()) << row.name;
    for (const std::string_view extension : row.extensions) {
      EXPECT_TRUE(extensions.insert(extension).second) << extension;
      EXPECT_EQ(extension.front(), '.');
    }
  }
  for (const char* extension : {".glb", ".gltf", ".obj", ".off", ".fbx", ".dae", ".x", ".bvh"})
    EXPECT_TRUE(extensions.contains(extension)) << extension;
}

TEST(Formats, EveryWritableRowGivesBackTheShapeOfACharacter) {
  const TemporaryFolder folder;
  CharacterFile file;
  file.character = testArm(7, 5);
  for (const FormatRow& row : formats()) {
    if (row.write == nullptr) continue;
    const auto path = folder / ("arm" + std::string(row.extensions.front()));
    writeCharacter(path, file);
    const CharacterFile back = readCharacter(path);
    EXPECT_EQ(back.format, row.name);
    const Points& points = back.character.mesh.points;
    ASSERT_EQ(points.cols(), file.character.mesh.points.cols()) << row.name;
    EXPECT_LT((points - file.character.mesh.points).cwiseAbs().maxCoeff(), 1e-6) << row.name;
  }
}

TEST(Formats, ExtensionsCountInUpperCaseToo) {
  const TemporaryFolder folder;
  EXPECT_EQ(readCharacter(folder.write("A.OBJ", kTriangle)).format, "OBJ");
}

TEST(Formats, UnknownExtensionsAreRefusedWithTheOnesThatAreKnown) {
  const TemporaryFolder folder;
  CharacterFile file;
  file.character = testArm(3, 3);
  expectRefused([&] { readCharacter(folder.write("a.blend", "x")); },
                {"a.blend", "extension '.blend'", "cannot be read", ".glb", ".obj", ".fbx"});
  expectRefused([&] { readCharacter(folder.write("a", "x")); }, {"has no extension", ".glb"});
  expectRefused([&] { readCharacter(folder / "a.obj"); }, {"a.obj", "no such file"});
  expectRefused([&] { readCharacter(folder.path()); }, {"is a folder"});
  expectRefused([&] { writeCharacter(folder / "b.fbx", file); },
                {"b.fbx", "'.fbx'", "cannot be written", ".glb, .gltf, .obj, .off"});
  expectRefused([&] { writeCharacter(folder / "b.blend", file); }, {"b.blend", "cannot be written"});
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "a.blend"}));
}

TEST(Formats, RareOnesAreReadOnlyWhereThatIsAskedFor) {
  const TemporaryFolder folder;
  FileRules asked;
  asked.foreign.rareFormats = true;
  std::size_t rare = 0;
  for (const FormatRow& row : formats()) {
    EXPECT_EQ(isReadable(row, {}), row.kind != FormatKind::Rare) << row.name;
    EXPECT_TRUE(isReadable(row, asked)) << row.name;
    if (row.kind != FormatKind::Rare) continue;
    ++rare;
    const auto path = folder.write("a" + std::string(row.extensions.front()), "x");
    expectRefused([&] { readCharacter(path); },
                  {"a" + std::string(row.extensions.front()), "only on request", "--rare-formats"});
    expectRefused([&] { meshSequence(path); }, {"--rare-formats"});
    EXPECT_EQ(meshSequence(path, asked).size(), 1u);
  }
  EXPECT_EQ(rare, 7u);
  expectRefused([&] { meshSequence(folder.path()); }, {"no readable meshes"});
  EXPECT_EQ(meshSequence(folder.path(), asked).size(), 1u) << "of several formats the first";
}

TEST(Formats, ForeignOnesNeedAProgramThatReadsThem) {
  const TemporaryFolder folder;
  expectRefused([&] { readCharacter(folder.write("a.fbx", "x")); },
                {"a.fbx", "separate importer process", "sets none"});
}

TEST(Formats, CheckWritableSaysWhatWritingWould) {
  const TemporaryFolder folder;
  EXPECT_NO_THROW(checkWritable(folder / "a.obj"));
  expectRefused([&] { checkWritable(folder / "a.fbx"); }, {"cannot be written"});
  expectRefused([&] { checkWritable(folder / "no/a.obj"); }, {"a.obj", "no folder", "create it"});
  EXPECT_TRUE(folder.names().empty());
}

TEST(MeshSequence, ComesInNaturalOrderWithoutTheRestMesh) {
  const TemporaryFolder folder;
  for (const char* name : {"pose10.obj", "pose2.obj", "pose1.OBJ", "rest.obj", "notes.txt", "examples.json",
                           ".hidden.obj", "~tmp.obj", "pose3.obj~", "#pose4.obj#", "walk.bvh", "character.glb"}) {
    folder.write(name, kTriangle);
  }
  std::filesystem::create_directory(folder / "folder.obj");
  EXPECT_EQ(namesOf(meshSequence(folder.path())), (std::vector<std::string>{"pose1.OBJ", "pose2.obj", "pose10.obj"}))
      << "the character beside its poses is not one of them";
  ASSERT_TRUE(restOfSequence(folder.path()).has_value());
  EXPECT_EQ(restOfSequence(folder.path())->filename(), "rest.obj");
}

TEST(MeshSequence, OfOneFileIsThatFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("rest.obj", kTriangle);
  EXPECT_EQ(meshSequence(file), std::vector<std::filesystem::path>{file});
  EXPECT_FALSE(restOfSequence(file).has_value());
}

TEST(MeshSequence, RefusesFoldersWithoutMeshes) {
  const TemporaryFolder folder;
  folder.write("rest.obj", kTriangle);
  expectRefused([&] { meshSequence(folder.path()); }, {folder.path().string(), "no readable meshes", ".obj"});
  expectRefused([&] { meshSequence(folder / "none"); }, {"none", "no such file or folder"});
  expectRefused([&] { meshSequence(folder.write("a.txt", "x")); }, {"a.txt", "cannot be read"});
}

TEST(MeshSequence, ListsTheHorsesInOrder) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder folder;
  unpackData("horse-poses.tar.gz", folder);
  std::filesystem::path poses = folder.path();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (entry.path().extension() == ".obj") poses = entry.path().parent_path();
  }
  const auto sequence = meshSequence(poses);
  const auto rest = restOfSequence(poses);
  ASSERT_TRUE(rest.has_value());
  const Mesh first = readCharacter(*rest).character.mesh;
  EXPECT_GE(sequence.size(), 10u);
  EXPECT_EQ(sequence[1].stem(), "2");
  EXPECT_EQ(sequence[9].stem(), "10");
  for (const auto& path : sequence) {
    const Mesh mesh = readCharacter(path).character.mesh;
    EXPECT_EQ(mesh.vertexCount(), first.vertexCount());
    EXPECT_EQ(mesh.faces.corner, first.faces.corner);
  }
}

}  // namespace
}  // namespace sinew::test::formats_test
