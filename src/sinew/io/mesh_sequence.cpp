#include "sinew/io/mesh_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/base/check.h"
#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/deform/posing.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"
#include "sinew/io/point_cache.h"

namespace sinew {
namespace fs = std::filesystem;
namespace {

/// More frames than this come from a wrong unit of time.
constexpr double kMostFrames = 100000;

class SequenceReader {
 public:
  explicit SequenceReader(const MeshSequenceOptions& options) : options_(options) {}

  MeshSequence read(std::span<const fs::path> paths) {
    SINEW_CHECK(!paths.empty(), "", "no mesh is given; give files or a folder of meshes");
    SINEW_CHECK(options_.framesPerSecond > 0 && std::isfinite(options_.framesPerSecond), "",
                fmt::format("{} is not a valid number of frames per second", options_.framesPerSecond));
    const auto caches = std::count_if(paths.begin(), paths.end(), isPointCache);
    if (caches > 0) {
      readCaches(paths, toSize(caches));
    } else if (paths.size() == 1 && !fs::is_directory(paths.front())) {
      readSingle(paths.front());
    } else {
      for (const fs::path& path : paths) readPath(path, paths.size() == 1);
    }
    makeNamesDiffer();
    if (sequence_.rest) sequence_.topology.points = *sequence_.rest;
    return std::move(sequence_);
  }

 private:
  /// A file, or the meshes of a folder. The rest mesh counts where the folder is the only input.
  void readPath(const fs::path& path, bool alone) {
    const std::vector<fs::path> files = meshSequence(path, options_.rules);
    for (std::size_t f = 0; f < files.size(); ++f) {
      const fs::path& file = files[f];
      const double share = 1.0 / static_cast<double>(files.size());
      const double from = share * static_cast<double>(f);
      const CharacterFile character = readCharacter(file, reading(partProgress(options_.progress, from, from + share)));
      addShape(file, character.character.mesh, shapeOf(character), file.stem().string());
    }
    if (!alone) return;
    if (const auto rest = restOfSequence(path, options_.rules)) {
      const CharacterFile character = readCharacter(*rest, reading({}));
      Points shape = shapeOf(character);
      checkTopology(*rest, character.character.mesh);
      sequence_.rest = std::move(shape);
      sequence_.notes.push_back(fmt::format("{} is the rest shape.", rest->filename().string()));
    }
  }

  /// One file: its clip, its morph targets, or its shape.
  void readSingle(const fs::path& path) {
    meshSequence(path, options_.rules);  // rejects what cannot be read
    const CharacterFile file = readCharacter(path, reading(options_.progress));
    const Character& character = file.character;
    if (!character.clips.empty() && character.mesh.vertexCount() > 0) {
      readClip(path, file);
    } else if (!character.morphs.empty()) {
      readMorphs(path, file);
    } else {
      addShape(path, character.mesh, shapeOf(file), path.stem().string());
    }
  }

  void readClip(const fs::path& path, const CharacterFile& file) {
    const Character& character = file.character;
    const std::size_t index = options_.clip.empty() ? 0 : clipIndex(character, options_.clip);
    const Clip& clip = character.clips[index];
    const std::string name = clip.name.empty() ? fmt::format("clip{}", index) : clip.name;
    const double frames = std::floor(clip.seconds() * options_.framesPerSecond + 1e-6) + 1;
    SINEW_CHECK(
        frames <= kMostFrames, path.string(),
        fmt::format("clip '{}' has {:.0f} frames at {} per second, more than {:.0f}; use fewer frames per second", name,
                    frames, options_.framesPerSecond, kMostFrames));
    CharacterPoser poser(character, file.playback());
    for (int f = 0; f < static_cast<int>(frames); ++f) {
      report(options_.progress, {f / frames, "posing the clip"});
      const double time = f / options_.framesPerSecond;
      Pose pose = restPose(character);
      sampleClip(clip, time, pose);
      addShape(path, character.mesh, poser.pose(pose), fmt::format("{}_{:04}", name, f + 1));
      sequence_.times.push_back(time);
    }
    sequence_.rest = poser.pose(restPose(character));
    sequence_.notes.push_back(fmt::format("{} of clip '{}' at {} per second.",
                                          counted(sequence_.shapes.size(), "frame", "frames"), name,
                                          options_.framesPerSecond));
  }

  void readMorphs(const fs::path& path, const CharacterFile& file) {
    const Character& character = file.character;
    CharacterPoser poser(character, file.playback());
    Pose pose = restPose(character);
    std::fill(pose.morphWeights.begin(), pose.morphWeights.end(), 0.0);
    addShape(path, character.mesh, poser.pose(pose), path.stem().string());
    for (std::size_t m = 0; m < character.morphs.size(); ++m) {
      pose.morphWeights[m] = 1;
      const std::string& name = character.morphs[m].name;
      addShape(path, character.mesh, poser.pose(pose), name.empty() ? fmt::format("morph{}", m) : name);
      pose.morphWeights[m] = 0;
    }
    sequence_.notes.push_back(counted(character.morphs.size(), "morph target", "morph targets") +
                              " and the shape at rest.");
  }

  void readCaches(std::span<const fs::path> paths, std::size_t caches) {
    std::optional<fs::path> mesh;
    for (const fs::path& path : paths) {
      if (isPointCache(path)) continue;
      SINEW_CHECK(!mesh && !fs::is_directory(path), path.string(),
                  "is given with a point cache, which has one mesh; give only the cache and its mesh");
      mesh = path;
    }
    SINEW_CHECK(mesh.has_value(), paths.front().string(),
                "has no faces: a point cache needs its mesh; give it too (MESH.obj CACHE.pc2)");
    const CharacterFile file = readCharacter(*mesh, reading({}));
    sequence_.topology = file.character.mesh;
    first_ = *mesh;
    sequence_.rest = shapeOf(file);
    for (const fs::path& path : paths) {
      if (isPointCache(path)) addCache(path, caches == 1);
    }
  }

  void addCache(const fs::path& path, bool alone) {
    PointCache cache = readPointCache(path, options_.progress);
    SINEW_CHECK(cache.frames.front().cols() == sequence_.topology.vertexCount(), path.string(),
                fmt::format("has {} points, but {} has {} vertices; use the mesh that it was made from",
                            cache.frames.front().cols(), first_.filename().string(), sequence_.topology.vertexCount()));
    for (std::size_t f = 0; f < cache.frames.size(); ++f) {
      sequence_.shapes.push_back(std::move(cache.frames[f]));
      sequence_.names.push_back(fmt::format("{}_{:04}", path.stem().string(), f + 1));
    }
    if (alone) sequence_.times = std::move(cache.times);
  }

  [[nodiscard]] ReadOptions reading(Progress progress) const {
    return {.progress = std::move(progress), .rules = options_.rules};
  }

  static Points shapeOf(const CharacterFile& file) {
    return posePoints(file.character, restPose(file.character), file.playback());
  }

  void addShape(const fs::path& path, const Mesh& mesh, const Points& shape, const std::string& name) {
    SINEW_CHECK(mesh.vertexCount() > 0, path.string(), "has no mesh; give a file with a mesh");
    if (sequence_.shapes.empty()) {
      sequence_.topology = mesh;
      first_ = path;
    } else {
      checkTopology(path, mesh);
    }
    sequence_.shapes.push_back(shape);
    sequence_.names.push_back(name);
  }

  void checkTopology(const fs::path& path, const Mesh& mesh) const {
    const Mesh& topology = sequence_.topology;
    const std::string first = first_.filename().string();
    SINEW_CHECK(mesh.vertexCount() == topology.vertexCount(), path.string(),
                fmt::format("has {} vertices, {} has {}; all meshes must have the same topology", mesh.vertexCount(),
                            first, topology.vertexCount()));
    if (mesh.faces.start == topology.faces.start && mesh.faces.corner == topology.faces.corner) return;
    SINEW_CHECK(mesh.faces.size() == topology.faces.size(), path.string(),
                fmt::format("has {} faces, {} has {}; all meshes must have the same topology", mesh.faces.size(), first,
                            topology.faces.size()));
    std::size_t face = 0;
    while (std::ranges::equal(mesh.faces[face], topology.faces[face])) ++face;
    throw Error(
        ErrorCode::BadInput,
        fmt::format(
            "has different vertices in face {} than {}; all meshes must have the same topology and vertex order", face,
            first),
        path.string());
  }

  void makeNamesDiffer() {
    std::set<std::string> known;
    for (std::string& name : sequence_.names) {
      const std::string wanted = name;
      for (int n = 2; !known.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
    }
  }

  MeshSequenceOptions options_;
  MeshSequence sequence_;
  fs::path first_;  ///< the file that the topology came from
};

}  // namespace

MeshSequence readMeshes(std::span<const fs::path> paths, const MeshSequenceOptions& options) {
  return SequenceReader(options).read(paths);
}

void writeMeshes(const fs::path& path, const MeshSequence& sequence, OutputFiles* into, const Progress& progress) {
  if (isPointCache(path)) {
    writePointCache(path, {sequence.shapes, sequence.times}, into, progress);
    return;
  }
  SINEW_CHECK(sequence.names.size() == sequence.shapes.size(), path.string(),
              fmt::format("{} names for {} shapes", sequence.names.size(), sequence.shapes.size()));
  const fs::path above = fs::absolute(path).lexically_normal().parent_path();
  std::error_code fault;
  if (!fs::is_directory(path, fault) && (fs::exists(path, fault) || !fs::is_directory(above, fault)))
    throw Error(ErrorCode::Unwritable, "is not a folder and cannot be created; check the path", path.string());
  OutputFiles own;
  OutputFiles& files = into == nullptr ? own : *into;
  files.makeFolder(path);
  CharacterFile file;
  file.character.mesh = sequence.topology;
  file.character.mesh.normals.resize(3, 0);
  for (std::size_t s = 0; s < sequence.shapes.size(); ++s) {
    report(progress, {static_cast<double>(s) / static_cast<double>(sequence.shapes.size()), "writing"});
    file.character.mesh.points = sequence.shapes[s];
    std::string name = sequence.names[s] + ".obj";
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '/' || c == '\\'; }, '_');
    writeCharacter(path / name, file, {.into = &files});
  }
  own.commit();
}

}  // namespace sinew
