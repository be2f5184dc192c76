// Sequences as examples: a clip with a point cache, a folder of meshes, or a file that plays its shapes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "formats_support.h"
#include "sinew/deform/posing.h"
#include "sinew/io/examples.h"
#include "sinew/io/obj.h"
#include "sinew/io/point_cache.h"
#include "sinew/io/poses.h"
#include "support/test_arm.h"

namespace sinew::test::example_files_test {
namespace {

constexpr double kFrame = 1 / kPointCacheFrames;
/// Point caches are in single precision.
constexpr double kSingle = 1e-6;

/// A clip that bends the elbow by 10 degrees per frame, from a first key on.
Clip bendClip(const Character& arm, const std::string& name, int frames, double first = 0) {
  Clip clip{.name = name, .channels = {}};
  ClipChannel channel{.path = ClipPath::Rotation, .joint = *arm.skeleton.find("lower"), .times = {}, .values = {}};
  channel.values.resize(4, frames);
  for (int f = 0; f < frames; ++f) {
    channel.times.push_back(first + f * kFrame);
    const Pose pose = bentArmPose(arm, 10.0 * f, 0);
    channel.values.col(f) = pose.local[toSize(channel.joint)].rotation.coeffs();
  }
  clip.channels.push_back(std::move(channel));
  return clip;
}

class Sequences : public ::testing::Test {
 protected:
  Sequences() {
    file.character.clips = {bendClip(file.character, "bend", kFrames), bendClip(file.character, "nod", 2)};
  }

  /// Skin with a bulge at the keys of the clip.
  std::vector<Points> shapes(int frames = kFrames) const {
    std::vector<Points> all;
    for (int f = 0; f < frames; ++f) {
      Pose pose = restPose(file.character);
      sampleClip(file.character.clips[0], f * kFrame, pose);
      Points points = posePoints(file.character, pose);
      for (Index v = 0; v < points.cols(); ++v)
        points.col(v) += 0.001 * f * std::sin(5.0 * static_cast<double>(v)) * Vec3(1, 2, 3);
      all.push_back(std::move(points));
    }
    return all;
  }

  std::filesystem::path cache(const std::string& name, int frames = kFrames, std::vector<double> times = {}) const {
    writePointCache(folder / name, {shapes(frames), std::move(times)});
    return folder / name;
  }

  std::filesystem::path meshes(int frames = kFrames) const {
    for (int f = 0; f < frames; ++f) {
      Mesh mesh = file.character.mesh;
      mesh.points = shapes(frames)[toSize(f)];
      folder.write(fmt::format("meshes/bend{}.obj", f + 1), formatObj(mesh));
    }
    return folder / "meshes";
  }

  std::unique_ptr<ExampleFiles> open(const std::filesystem::path& meshes, const std::string& clip = "bend",
                                     double framesPerSecond = 0) const {
    return openSequence(
        {.clip = clipSource(clip, file.character), .meshes = meshes, .framesPerSecond = framesPerSecond}, file);
  }

  /// Every frame has the pose of the clip's key of that number, and its shape.
  void expectFrames(ExampleFiles& files, int frames = kFrames) const {
    ASSERT_EQ(files.size(), toSize(frames));
    EXPECT_EQ(files.frames(), toSize(frames));
    const std::vector<Points> wanted = shapes(frames);
    Example example;
    for (int f = 0; f < frames; ++f) {
      files.read(toSize(f), example);
      const int lower = *file.character.skeleton.find("lower");
      EXPECT_LT(example.pose.local[toSize(lower)].rotation.angularDistance(
                    bentArmPose(file.character, 10.0 * f, 0).local[toSize(lower)].rotation),
                1e-5)
          << f;
      EXPECT_LT((example.points - wanted[toSize(f)]).cwiseAbs().maxCoeff(), kSingle) << f;
    }
  }

  static constexpr int kFrames = 7;
  TemporaryFolder folder;
  CharacterFile file{.character = testArm(), .source = nullptr, .format = {}, .problems = {}, .blocks = {}};
};

TEST_F(Sequences, FramesOfAPointCacheHaveThePosesOfTheClip) {
  for (const char* name : {"bend.pc2", "bend.mdd"}) {
    const auto files = open(cache(name));
    expectFrames(*files);
    EXPECT_EQ(files->outline().examples[2].name, "bend_0003");
    EXPECT_EQ(files->outline().examples[2].points.cols(), 0) << "shapes are read when they are needed";
  }
}

TEST_F(Sequences, AFolderIsSpreadOverTheKeysOfTheClip) {
  const auto files = open(meshes());
  expectFrames(*files);
  EXPECT_EQ(files->outline().examples[6].name, "bend7");
  // Fewer meshes than keys: evenly from the first key to the last.
  std::filesystem::remove(folder / "meshes/bend2.obj");
  std::filesystem::remove(folder / "meshes/bend4.obj");
  std::filesystem::remove(folder / "meshes/bend6.obj");
  const auto half = open(folder / "meshes");
  const int lower = *file.character.skeleton.find("lower");
  EXPECT_LT(half->outline().examples[1].pose.local[toSize(lower)].rotation.angularDistance(
                bentArmPose(file.character, 20, 0).local[toSize(lower)].rotation),
            1e-5);
}

TEST_F(Sequences, AGivenRateCountsFramesOfPc2AndFolders) {
  file.character.clips[0] = bendClip(file.character, "bend", kFrames);
  for (ClipChannel& channel : file.character.clips[0].channels) {
    for (double& time : channel.times) time *= 0.5;  // 48 frames per second
  }
  const std::filesystem::path pc2 = folder / "fast.pc2";
  std::vector<Points> frames;
  for (int f = 0; f < kFrames; ++f) frames.push_back(posePoints(file.character, restPose(file.character)));
  writePointCache(pc2, {frames, {}});
  expectRefused([&] { open(pc2); }, {"fast.pc2", "7 frames", "0.125 s", "'bend'", "--fps"});
  EXPECT_EQ(open(pc2, "bend", 48)->size(), toSize(kFrames));
  expectRefused([&] { open(cache("a.mdd"), "bend", 30); }, {"a.mdd", "times of its own", "30"});
}

TEST_F(Sequences, ACacheThatStartsElsewhereIsMovedToTheFirstKey) {
  const std::filesystem::path path = cache("bend.mdd");
  file.character.clips[0] = bendClip(file.character, "bend", kFrames, 2);
  const auto files = open(path);
  const int lower = *file.character.skeleton.find("lower");
  EXPECT_LT(files->outline().examples[3].pose.local[toSize(lower)].rotation.angularDistance(
                bentArmPose(file.character, 30, 0).local[toSize(lower)].rotation),
            1e-5);
  EXPECT_NE(files->notes().front().find("first frame"), std::string::npos);
}

TEST_F(Sequences, ACoarselySampledCacheIsMovedToTheFirstKeyToo) {
  // Every second frame from 0 on; the first key of the clip is one frame later.
  std::vector<Points> even;
  std::vector<double> times;
  for (int f = 0; f < kFrames; f += 2) {
    even.push_back(shapes()[toSize(f)]);
    times.push_back(f * kFrame);
  }
  file.character.clips[0] = bendClip(file.character, "bend", kFrames, kFrame);
  const int lower = *file.character.skeleton.find("lower");
  for (const char* name : {"coarse.pc2", "coarse.mdd"}) {
    writePointCache(folder / name, {even, times});
    const auto files = open(folder / name);
    for (std::size_t k = 0; k < even.size(); ++k) {
      EXPECT_LT(files->outline().examples[k].pose.local[toSize(lower)].rotation.angularDistance(
                    bentArmPose(file.character, 20.0 * static_cast<double>(k), 0).local[toSize(lower)].rotation),
                1e-5)
          << name << k;
    }
    EXPECT_NE(files->notes().front().find("first frame"), std::string::npos) << files->notes().front();
  }
  // One frame after the last key is as much too late, however far apart the samples are.
  file.character.clips[0] = bendClip(file.character, "bend", kFrames);
  for (double& time : times) time += kFrame;
  writePointCache(folder / "late.mdd", {even, times});
  EXPECT_NE(open(folder / "late.mdd")->notes().front().find("first frame"), std::string::npos);
}

TEST_F(Sequences, AFileThatAnimatesMorphTargetsGivesAShapePerKey) {
  CharacterFile baked;
  const std::vector<Points> wanted = shapes();
  baked.character.mesh = file.character.mesh;
  baked.character.mesh.points = wanted[0];
  baked.character.skeleton = Skeleton(std::vector<Joint>{{.name = "mesh", .rest = {}}});
  baked.character.skin.bindings = {{0, Affine::Identity()}};
  for (MeshPart& part : baked.character.mesh.parts) {
    part.skinned = false;
    part.node = 0;
  }
  baked.character.skin.weights = SkinWeights::rigid(1, wanted[0].cols(), 0);
  Clip clip{.name = "baked", .channels = {}};
  ClipChannel weights{.path = ClipPath::Weights, .times = {}, .values = {}};
  weights.values.setIdentity(kFrames, kFrames);
  for (int f = 0; f < kFrames; ++f) {
    baked.character.morphs.push_back({.name = fmt::format("f{}", f), .deltas = wanted[toSize(f)] - wanted[0]});
    weights.times.push_back(f * kFrame);
  }
  clip.channels.push_back(weights);
  baked.character.clips.push_back(clip);
  writeCharacter(folder / "baked.glb", baked);
  const auto files = open(folder / "baked.glb");
  expectFrames(*files);
  folder.write("single.obj", formatObj(file.character.mesh));
  expectRefused([&] { open(folder / "single.obj"); }, {"single.obj", "no clip", ".pc2"});
}

TEST_F(Sequences, AClipOfAnotherFileMovesJointsOfTheSameName) {
  CharacterFile mover = file;
  std::vector<Joint> joints{{.name = "armature", .rest = {}}};
  for (Joint joint : file.character.skeleton.joints()) {
    ++joint.parent;
    joints.push_back(joint);
  }
  mover.character = Character{};
  mover.character.skeleton = Skeleton(joints);
  Clip clip = file.character.clips[0];
  clip.channels[0].joint += 1;
  clip.name = "walk:fast";
  ClipChannel other = clip.channels[0];
  other.joint = 0;
  clip.channels.push_back(other);
  mover.character.clips = {clip};
  writeCharacter(folder / "mover.glb", mover);
  file.character.clips.clear();
  const std::string path = (folder / "mover.glb").string();
  const std::filesystem::path meshes = folder / "bend.mdd";
  {
    Character animated = file.character;
    std::vector<Points> frames;
    for (int f = 0; f < kFrames; ++f) {
      Pose pose = restPose(animated);
      pose.local[toSize(*animated.skeleton.find("lower"))] =
          bentArmPose(animated, 10.0 * f, 0).local[toSize(*animated.skeleton.find("lower"))];
      frames.push_back(posePoints(animated, pose));
    }
    writePointCache(meshes, {frames, {}});
  }
  const auto files = open(meshes, path);
  ASSERT_EQ(files->size(), toSize(kFrames));
  files->check();
  for (const double error : files->plainErrors()) EXPECT_LT(error, kSingle);
  EXPECT_NE(files->notes().front().find("no 'armature'"), std::string::npos) << files->notes().front();
  expectRefused([&] { open(meshes, path + ":wakl"); }, {"mover.glb", "no clip 'wakl'"});
  expectRefused([&] { open(meshes, "none.glb:walk"); }, {"none.glb", "no such file"});
}

TEST_F(Sequences, MeshesWithTheirOwnRestMeshMayHaveAnotherOrder) {
  const Index count = file.character.mesh.vertexCount();
  const auto reversed = [&](const Points& points) { return Points(points.rowwise().reverse()); };
  Points rest = posePoints(file.character, restPose(file.character));
  // The tube is symmetric: only with a bump there is one way to match it.
  for (Index v = 0; v < count; ++v)
    file.character.mesh.points.col(v) += Vec3(0, 0.02 * std::sin(3.0 * static_cast<double>(v)), 0);
  rest = posePoints(file.character, restPose(file.character));
  std::vector<Points> frames;
  for (const Points& points : shapes()) frames.push_back(reversed(points));
  writePointCache(folder / "b.pc2", {frames, {}});
  Mesh mesh;
  mesh.points = reversed(rest);
  mesh.faces = file.character.mesh.faces;
  for (std::uint32_t& corner : mesh.faces.corner) corner = static_cast<std::uint32_t>(count - 1) - corner;
  folder.write("base.obj", formatObj(mesh));
  const auto files =
      openSequence({.clip = {.name = "bend"}, .meshes = folder / "b.pc2", .rest = folder / "base.obj"}, file);
  expectFrames(*files);
}

TEST_F(Sequences, AnExamplesFileMixesSculptsAndSequences) {
  cache("bend.pc2");
  meshes();
  folder.write("mask.json", fmt::format("[{}1]", [&] {
                 std::string zeros;
                 for (Index v = 1; v < file.character.mesh.vertexCount(); ++v) zeros += "0,";
                 return zeros;
               }()));
  const std::filesystem::path manifest = folder.write("examples.json", R"({"examples": [
    {"name": "rested", "pose": "rest", "mesh": "meshes/bend1.obj"},
    {"name": "sim", "sequence": {"clip": "bend", "meshes": "bend.pc2"}, "confidence": 0.5, "mask": "mask.json"},
    {"sequence": {"clip": 0, "meshes": "meshes"}}]})");
  const ExamplesFile read = readExamples(manifest, file);
  ASSERT_EQ(read.set.examples.size(), toSize(2 * kFrames + 1));
  EXPECT_EQ(read.frames, toSize(2 * kFrames));
  EXPECT_EQ(read.set.examples[1].name, "sim_0001");
  EXPECT_EQ(read.set.examples[1].confidence, 0.5);
  EXPECT_EQ(read.set.examples[1].mask.front(), 0);
  EXPECT_EQ(read.set.examples[1].mask.back(), 1);
  EXPECT_EQ(read.set.examples.back().name, "bend7");
  EXPECT_LT((read.set.examples.back().points - shapes().back()).cwiseAbs().maxCoeff(), kSingle);
  // A file with one sequence may have it at the top.
  folder.write("one.json", R"({"sequence": {"clip": "bend", "meshes": "bend.pc2", "fps": 24}})");
  EXPECT_EQ(readExamples(folder / "one.json", file).set.examples.size(), toSize(kFrames));
}

TEST_F(Sequences, KeepOnlyWhatFitsInMemoryAndReadTheRestAgain) {
  const std::filesystem::path path = cache("bend.pc2");
  const double bytes = 24.0 * static_cast<double>(file.character.mesh.vertexCount());
  const auto files = openSequence({.clip = {.name = "bend"}, .meshes = path}, file, {.memory = 2.5 * bytes / 1e6});
  files->check();
  expectFrames(*files);
  std::filesystem::remove(path);
  Example example;
  files->read(1, example);  // kept
  EXPECT_EQ(example.points.cols(), file.character.mesh.vertexCount());
}

TEST_F(Sequences, RefuseWhatDoesNotBelongTogetherInOneSentence) {
  const std::filesystem::path good = cache("bend.pc2");
  expectRefused([&] { open(good, "bnd"); }, {"no clip 'bnd'", "did you mean 'bend'?"});
  expectRefused([&] { open(good, "nod"); }, {"bend.pc2", "7 frames", "0.25 s", "'nod'", "clip that it was made with"});
  expectRefused([&] { open(folder / "none"); }, {"none", "no such file"});
  std::filesystem::create_directory(folder / "empty");
  expectRefused([&] { open(folder / "empty"); }, {"empty", "no readable meshes"});
  std::vector<Points> small;
  for (const Points& points : shapes()) small.emplace_back(points.leftCols(points.cols() - 3));
  writePointCache(folder / "small.pc2", {small, {}});
  expectRefused([&] { open(folder / "small.pc2")->check(); },
                {"small.pc2", fmt::format("has {} vertices", small[0].cols()),
                 fmt::format("the character has {}", small[0].cols() + 3)});
  // The shapes of other poses: the order of the frames is reversed.
  std::vector<Points> wrong = shapes();
  std::reverse(wrong.begin(), wrong.end());
  writePointCache(folder / "wrong.pc2", {wrong, {}});
  expectRefused([&] { open(folder / "wrong.pc2")->check(); }, {"wrong.pc2", "frame 1:", "--force"});
  const auto manifest = [&](const std::string& entry) {
    return [&, path = folder.write("bad.json", R"({"examples": [)" + entry + "]}")] { readExamples(path, file); };
  };
  expectRefused(manifest(R"({"sequence": {"meshes": "bend.pc2"}})"), {"bad.json", "example 1", "no 'clip'"});
  expectRefused(manifest(R"({"sequence": {"clip": "bend"}})"), {"bad.json", "example 1", "no 'meshes'"});
  expectRefused(manifest(R"({"sequence": {"clip": "bnd", "meshes": "bend.pc2"}})"), {"bad.json", "'bend'"});
  expectRefused(manifest(R"({"mesh": "a.obj", "sequence": {"clip": "bend", "meshes": "bend.pc2"}})"),
                {"bad.json", "both 'sequence' and 'mesh'"});
  expectRefused(manifest(R"({"sequence": {"clip": "bend", "meshes": "bend.pc2", "fps": 0}})"), {"fps 0", "above 0"});
  expectRefused(manifest(R"({"sequence": {"clip": {"name": "bend"}, "meshes": "bend.pc2"}})"), {"no 'file'"});
  expectRefused(manifest(R"({"sequence": {"clp": "bend", "meshes": "bend.pc2"}})"), {"'clp'", "'clip'"});
}

TEST_F(Sequences, StayBelowTheRoot) {
  cache("bend.pc2");
  const std::filesystem::path manifest =
      folder.write("root/e.json", R"({"sequence": {"clip": "bend", "meshes": "../bend.pc2"}})");
  EXPECT_EQ(readExamples(manifest, file).frames, toSize(kFrames));
  expectRefused([&] { readExamples(manifest, file, {.rules = {.root = folder / "root"}}); }, {"bend.pc2"});
}

TEST(PointCacheFile, ReadsFramesInAnyOrder) {
  const TemporaryFolder folder;
  std::vector<Points> frames(3, Points::Zero(3, 5));
  for (std::size_t f = 0; f < frames.size(); ++f) frames[f].setConstant(static_cast<double>(f + 1));
  for (const char* name : {"a.pc2", "a.mdd"}) {
    writePointCache(folder / name, {frames, {0, 0.5, 1}});
    PointCacheFile file(folder / name);
    EXPECT_EQ(file.pointCount(), 5);
    EXPECT_EQ(file.times(), (std::vector<double>{0, 0.5, 1}));
    Points points;
    for (const std::size_t f : {2u, 0u, 1u}) {
      file.read(f, points);
      EXPECT_EQ(points, frames[f]) << name;
    }
  }
}

}  // namespace
}  // namespace sinew::test::example_files_test
