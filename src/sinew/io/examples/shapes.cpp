#include "sinew/io/examples/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/examples/clip.h"
#include "sinew/io/examples/match.h"
#include "sinew/io/formats.h"
#include "sinew/io/point_cache.h"

namespace sinew::examples {
namespace {

namespace fs = std::filesystem;

class MeshFiles final : public ShapeList {
 public:
  MeshFiles(std::vector<fs::path> files, FileRules rules) : files_(std::move(files)), rules_(std::move(rules)) {}
  [[nodiscard]] std::size_t size() const override { return files_.size(); }
  Shape read(std::size_t frame) override { return readShape(files_.at(frame), rules_); }
  [[nodiscard]] fs::path file(std::size_t frame) const override { return files_.at(frame); }
  [[nodiscard]] std::string part(std::size_t) const override { return {}; }
  [[nodiscard]] bool takesRate() const override { return true; }

 private:
  std::vector<fs::path> files_;
  FileRules rules_;
};

class CacheFrames final : public ShapeList {
 public:
  explicit CacheFrames(const fs::path& path) : cache_(path) {}
  [[nodiscard]] std::size_t size() const override { return cache_.times().size(); }
  Shape read(std::size_t frame) override {
    Shape shape;
    cache_.read(frame, shape.points);
    return shape;
  }
  [[nodiscard]] fs::path file(std::size_t) const override { return cache_.path(); }
  [[nodiscard]] std::string part(std::size_t frame) const override { return fmt::format("frame {}", frame + 1); }
  [[nodiscard]] std::vector<double> times() const override { return cache_.times(); }
  [[nodiscard]] bool takesRate() const override { return countsFrames(cache_.path()); }

 private:
  PointCacheFile cache_;
};

/// A file that plays its shapes: morph targets, a skin, both.
class PlayedFrames final : public ShapeList {
 public:
  PlayedFrames(fs::path path, CharacterFile file, std::size_t clip, std::vector<double> times)
      : path_(std::move(path)),
        file_(std::move(file)),
        clip_(file_.character.clips[clip]),
        times_(std::move(times)),
        poser_(file_.character, file_.playback()) {}

  [[nodiscard]] std::size_t size() const override { return times_.size(); }
  Shape read(std::size_t frame) override {
    Pose pose = restPose(file_.character);
    sampleClip(clip_, times_.at(frame), pose);
    return {poser_.pose(pose), file_.character.mesh.faces};
  }
  [[nodiscard]] fs::path file(std::size_t) const override { return path_; }
  [[nodiscard]] std::string part(std::size_t frame) const override { return fmt::format("frame {}", frame + 1); }
  [[nodiscard]] std::vector<double> times() const override { return times_; }

 private:
  fs::path path_;
  CharacterFile file_;
  const Clip& clip_;
  std::vector<double> times_;
  CharacterPoser poser_;
};

bool animatesMorphs(const Clip& clip) {
  return std::any_of(clip.channels.begin(), clip.channels.end(),
                     [](const ClipChannel& channel) { return channel.path == ClipPath::Weights; });
}

/// The first clip with morph weights, otherwise the first; its frames are the keys of the weights, or all keys.
std::shared_ptr<ShapeList> playedFrames(const fs::path& path, const FileRules& rules, std::vector<std::string>& notes) {
  CharacterFile file = readCharacter(path, {.rules = rules});
  const std::vector<Clip>& clips = file.character.clips;
  if (file.character.mesh.vertexCount() == 0 || clips.empty()) {
    throw Error(ErrorCode::BadInput,
                "has no clip that animates its shape; give a point cache (.pc2, .mdd), a folder of meshes, or a file "
                "whose clip does",
                path.string());
  }
  const auto found = std::find_if(clips.begin(), clips.end(), animatesMorphs);
  const std::size_t index = found == clips.end() ? 0 : toSize(found - clips.begin());
  Clip keyed = clips[index];
  if (found != clips.end())
    std::erase_if(keyed.channels, [](const ClipChannel& channel) { return channel.path != ClipPath::Weights; });
  std::vector<double> times = keyTimes(keyed);
  if (times.empty()) {
    throw Error(ErrorCode::BadInput,
                fmt::format("has no keys in clip {}; export it with its animation", shownName(clips[index], index)),
                path.string());
  }
  notes.push_back(
      fmt::format("{}: the shapes of clip {}, one per key", path.filename().string(), shownName(clips[index], index)));
  return std::make_shared<PlayedFrames>(path, std::move(file), index, std::move(times));
}

}  // namespace

std::shared_ptr<ShapeList> meshFiles(std::vector<fs::path> files, FileRules rules) {
  return std::make_shared<MeshFiles>(std::move(files), std::move(rules));
}

std::shared_ptr<ShapeList> openShapes(const fs::path& path, const FileRules& rules, std::vector<std::string>& notes) {
  checkInside(path, rules);
  if (isPointCache(path)) return std::make_shared<CacheFrames>(path);
  std::vector<fs::path> files = meshSequence(path, rules);
  std::error_code fault;
  if (fs::is_directory(path, fault)) return meshFiles(std::move(files), rules);
  return playedFrames(path, rules, notes);
}

}  // namespace sinew::examples
