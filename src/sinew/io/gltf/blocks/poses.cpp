// SINEW_poses: poses that someone saved under a name (docs/formats.md). Numbers are in the JSON itself, where they come
// back bit for bit: poses are small, and people may want to read them. A pose has only the joints and morph targets
// that are not at rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/io/gltf/blocks/rows.h"

namespace sinew::gltf {
namespace {

constexpr const char* kPosesBlock = "SINEW_poses";
constexpr std::size_t kPosesVersion = 1;
constexpr const char* kPosesWhere = "extensions.SINEW_poses";
constexpr const char* kPosesRemedy = "remove the block, or save the poses again";
constexpr double kPosesUnitTolerance = 1e-3;

class PosesReader : private BlockReader {
 public:
  explicit PosesReader(const Reading& reading)
      : BlockReader(reading, kPosesWhere, kPosesRemedy),
        rest_(restPose(reading.character)),
        left_(reading.elementsLeft) {}

  std::vector<SavedPose> read(const Json& block) {
    if (!block.is_object()) refuseBlock(where() + " is not an object");
    const std::size_t version = requiredCount(block, "version", where());
    if (version != kPosesVersion) {
      reading().problems.push_back(
          fmt::format("{} has version {}, not {}; the poses were ignored.", kPosesBlock, version, kPosesVersion));
      return {};
    }
    required(block, "poses", where());
    std::vector<SavedPose> poses;
    for (const Json& json : objectsOf(block, "poses", where())) readPose(json, poses);
    return poses;
  }

 private:
  void readPose(const Json& json, std::vector<SavedPose>& poses) {
    const std::string place = fmt::format("{}[{}]", placeOf("poses"), index_++);
    // A pose of a few bytes becomes one of all joints.
    left_ -= static_cast<double>(rest_.local.size() + rest_.morphWeights.size());
    if (left_ < 0) refuseBlock(fmt::format("{} has more poses than the file's size allows", placeOf("poses")));
    SavedPose saved{requiredText(json, "name", place), rest_};
    try {
      for (const Json& joint : objectsOf(json, "joints", place)) readJoint(joint, place + ".joints", saved.pose);
      for (const Json& morph : objectsOf(json, "morphs", place)) readMorph(morph, place + ".morphs", saved.pose);
    } catch (const Outdated& outdated) {
      reading().problems.push_back(fmt::format("The saved pose '{}' no longer matches the file: {}; it was ignored.",
                                               saved.name.substr(0, 80), outdated.why));
      return;
    }
    poses.push_back(std::move(saved));
  }

  void readJoint(const Json& json, const std::string& place, Pose& pose) const {
    const int joint = jointOf(json, "joint", requiredText(json, "name", place), "joint", place);
    LocalTransform& local = pose.local[toSize(joint)];
    const std::vector<double> t = finite(json, "translation", 3, place);
    const std::vector<double> r = finite(json, "rotation", 4, place);
    const std::vector<double> s = finite(json, "scale", 3, place);
    local.translation = Vec3(t[0], t[1], t[2]);
    local.rotation = Quat(r[3], r[0], r[1], r[2]);
    local.scale = Vec3(s[0], s[1], s[2]);
    if (!(std::abs(local.rotation.norm() - 1) < kPosesUnitTolerance))
      refuseBlock(fmt::format("{}.rotation is not a unit quaternion", place));
  }

  void readMorph(const Json& json, const std::string& place, Pose& pose) const {
    const std::vector<MorphTarget>& morphs = reading().character.morphs;
    const std::string name = requiredText(json, "name", place);
    std::size_t morph = requiredCount(json, "morph", place);
    if (morph >= morphs.size() || morphs[morph].name != name) {
      const auto found =
          std::find_if(morphs.begin(), morphs.end(), [&](const MorphTarget& target) { return target.name == name; });
      if (found == morphs.end() || name.empty())
        throw Outdated{fmt::format("its morph target '{}' is no longer in the file", name.substr(0, 80))};
      morph = toSize(found - morphs.begin());
    }
    pose.morphWeights[morph] = requiredNumber(json, "weight", place);
  }

  [[nodiscard]] std::vector<double> finite(const Json& json, const char* key, std::size_t count,
                                           const std::string& place) const {
    std::vector<double> numbers = requiredNumbers(json, key, count, place);
    if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }))
      refuseBlock(fmt::format("{}.{} is not finite", place, key));
    return numbers;
  }

  Pose rest_;
  double left_;
  std::size_t index_ = 0;
};

bool same(const LocalTransform& a, const LocalTransform& b) {
  return a.translation == b.translation && a.rotation.coeffs() == b.rotation.coeffs() && a.scale == b.scale;
}

Json poseJson(const Character& character, const Pose& rest, const SavedPose& saved) {
  Json joints = Json::array();
  // A fit may have added joints since: those are at rest.
  for (std::size_t j = 0; j < std::min(rest.local.size(), saved.pose.local.size()); ++j) {
    const LocalTransform& local = saved.pose.local[j];
    if (same(local, rest.local[j])) continue;
    const Vec3& t = local.translation;
    const Quat& r = local.rotation;
    const Vec3& s = local.scale;
    joints.push_back(Json{{"joint", j},
                          {"name", character.skeleton[static_cast<int>(j)].name},
                          {"translation", Json::array({t.x(), t.y(), t.z()})},
                          {"rotation", Json::array({r.x(), r.y(), r.z(), r.w()})},
                          {"scale", Json::array({s.x(), s.y(), s.z()})}});
  }
  Json json{{"name", saved.name}, {"joints", std::move(joints)}};
  Json morphs = Json::array();
  for (std::size_t m = 0; m < std::min(rest.morphWeights.size(), saved.pose.morphWeights.size()); ++m) {
    if (saved.pose.morphWeights[m] == rest.morphWeights[m]) continue;
    morphs.push_back(Json{{"morph", m}, {"name", character.morphs[m].name}, {"weight", saved.pose.morphWeights[m]}});
  }
  if (!morphs.empty()) json["morphs"] = std::move(morphs);
  return json;
}

/// A pose that names a joint or morph target that no longer exists is dropped.
void readPoses(Reading& reading, const Json& block, CharacterFile& file) {
  file.poses = PosesReader(reading).read(block);
}

bool hasPoses(const CharacterFile& file) {
  return !file.poses.empty();
}

void validatePoses(const CharacterFile& /*file*/) {}  // poses are sound by construction

/// Joints are the first nodes of the document, in order.
bool writePoses(const BlockTarget& target) {
  Json& root = target.document.json;
  const Character& character = target.file.character;
  const std::vector<SavedPose>& poses = target.file.poses;
  const Json* block = findBlock(root, kPosesBlock);
  if (poses.empty()) {
    const bool had = block != nullptr;
    eraseBlock(root, kPosesBlock);
    return had;
  }
  const Pose rest = restPose(character);
  Json list = Json::array();
  for (const SavedPose& saved : poses) list.push_back(poseJson(character, rest, saved));
  const Json* present = block == nullptr ? nullptr : find(*block, "poses");
  if (present != nullptr && *present == list) return false;
  putBlock(root, kPosesBlock, Json{{"version", kPosesVersion}, {"poses", std::move(list)}});
  return true;
}

}  // namespace

const BlockRow kPosesRow{kPosesBlock, readPoses, hasPoses, validatePoses, writePoses};

}  // namespace sinew::gltf
