// One list of members serves both directions: `Packing` appends them, `Unpacking` reads them from the front. Numbers
// are stored as in memory, because both ends are the same program on the same machine.
#include "sinew/io/foreign/character_bytes.h"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "sinew/base/check.h"
#include "sinew/character/check_clips.h"

namespace sinew::foreign {
namespace {

template <class T>
concept PlainValue = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Packing {
 public:
  static constexpr bool kReads = false;
  std::string bytes;

  void raw(const void* data, std::size_t count) { bytes.append(static_cast<const char*>(data), count); }
  /// The length of a list of elements that take at least `least` bytes each.
  void length(std::uint64_t& count, std::size_t /*least*/) { raw(&count, sizeof count); }
};

class Unpacking {
 public:
  static constexpr bool kReads = true;
  explicit Unpacking(std::string_view bytes) : left_(bytes) {}

  void raw(void* data, std::size_t count) {
    SINEW_CHECK(count <= left_.size(), "", "the result of the importer is truncated");
    if (count > 0) std::memcpy(data, left_.data(), count);
    left_.remove_prefix(count);
  }
  void length(std::uint64_t& count, std::size_t least) {
    raw(&count, sizeof count);
    SINEW_CHECK(count <= left_.size() / least, "", "the result of the importer is shorter than it declares");
  }
  [[nodiscard]] bool empty() const { return left_.empty(); }

 private:
  std::string_view left_;
};

template <class Pass, PlainValue T>
void pass(Pass& with, T& value) {
  with.raw(&value, sizeof value);
}

template <class Pass>
void pass(Pass& with, bool& value) {
  auto byte = static_cast<std::uint8_t>(value ? 1 : 0);
  with.raw(&byte, 1);
  value = byte != 0;
}

template <class Pass>
void pass(Pass& with, std::string& text) {
  std::uint64_t count = text.size();
  with.length(count, 1);
  text.resize(count);
  with.raw(text.data(), count);
}

template <class Pass, class Scalar, int kRows, int kColumns>
void pass(Pass& with, Eigen::Matrix<Scalar, kRows, kColumns>& matrix) {
  std::uint64_t rows = static_cast<std::uint64_t>(matrix.rows());
  std::uint64_t columns = static_cast<std::uint64_t>(matrix.cols());
  with.length(rows, 1);
  // A matrix without rows may have any number of columns, for none of which there are bytes.
  with.length(columns, rows == 0 ? 1 : rows * sizeof(Scalar));
  if constexpr (Pass::kReads) {
    SINEW_CHECK((kRows == Eigen::Dynamic || rows == static_cast<std::uint64_t>(kRows)) &&
                    (kColumns == Eigen::Dynamic || columns == static_cast<std::uint64_t>(kColumns)),
                "", "the result of the importer has a matrix of the wrong size");
    matrix.resize(static_cast<Index>(rows), static_cast<Index>(columns));
  }
  with.raw(matrix.data(), toSize(matrix.size()) * sizeof(Scalar));
}

template <class Pass, PlainValue T>
void pass(Pass& with, std::vector<T>& list) {
  std::uint64_t count = list.size();
  with.length(count, sizeof(T));
  list.resize(count);
  with.raw(list.data(), count * sizeof(T));
}

template <class Pass, class T>
void pass(Pass& with, std::vector<T>& list) {
  std::uint64_t count = list.size();
  with.length(count, 1);
  if constexpr (Pass::kReads) list.clear();  // element by element: a length is only believed as far as bytes follow
  for (std::uint64_t i = 0; i < count; ++i) {
    if constexpr (Pass::kReads) list.emplace_back();
    pass(with, list[i]);
  }
}

template <class Pass>
void pass(Pass& with, MeshPart& part) {
  pass(with, part.name);
  pass(with, part.firstVertex);
  pass(with, part.vertexCount);
  pass(with, part.firstFace);
  pass(with, part.faceCount);
  pass(with, part.mesh);
  pass(with, part.node);
  pass(with, part.instances);
  pass(with, part.skinned);
}

template <class Pass>
void pass(Pass& with, Mesh& mesh) {
  pass(with, mesh.points);
  pass(with, mesh.faces.start);
  pass(with, mesh.faces.corner);
  pass(with, mesh.normals);
  pass(with, mesh.uvs);
  pass(with, mesh.cornerUv);
  pass(with, mesh.parts);
}

template <class Pass>
void pass(Pass& with, Joint& joint) {
  pass(with, joint.name);
  pass(with, joint.parent);
  pass(with, joint.rest.translation);
  pass(with, joint.rest.rotation.coeffs());
  pass(with, joint.rest.scale);
}

template <class Pass>
void pass(Pass& with, Binding& binding) {
  pass(with, binding.joint);
  with.raw(binding.jointFromRest.matrix().data(), 12 * sizeof(double));
  pass(with, binding.skin);
}

template <class Pass>
void pass(Pass& with, MorphTarget& morph) {
  pass(with, morph.name);
  pass(with, morph.mesh);
  pass(with, morph.firstVertex);
  pass(with, morph.deltas);
  pass(with, morph.normalDeltas);
  pass(with, morph.defaultWeight);
}

template <class Pass>
void pass(Pass& with, ClipChannel& channel) {
  pass(with, channel.path);
  pass(with, channel.interpolation);
  pass(with, channel.joint);
  pass(with, channel.firstMorph);
  pass(with, channel.times);
  pass(with, channel.values);
}

template <class Pass>
void pass(Pass& with, Clip& clip) {
  pass(with, clip.name);
  pass(with, clip.channels);
}

/// Joints and weights are kept by classes that check them, so they travel as lists.
struct Loose {
  std::vector<Joint> joints;
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> bindings;
  std::vector<double> weights;
};

template <class Pass>
void pass(Pass& with, CharacterFile& file, Loose& loose) {
  Character& character = file.character;
  pass(with, character.name);
  pass(with, character.mesh);
  pass(with, loose.joints);
  pass(with, character.skin.bindings);
  pass(with, loose.offsets);
  pass(with, loose.bindings);
  pass(with, loose.weights);
  pass(with, character.morphs);
  pass(with, character.clips);
  pass(with, file.problems);
}

Loose taken(const Character& character) {
  Loose loose;
  loose.joints.assign(character.skeleton.joints().begin(), character.skeleton.joints().end());
  for (Index v = 0; v < character.skin.weights.vertexCount(); ++v) {
    for (const Influence& influence : character.skin.weights[v]) {
      loose.bindings.push_back(influence.binding);
      loose.weights.push_back(influence.weight);
    }
    loose.offsets.push_back(static_cast<std::uint32_t>(loose.bindings.size()));
  }
  return loose;
}

void checkParts(const Character& character) {
  const auto isJoint = [&](int node) { return node >= -1 && node < character.skeleton.size(); };
  for (const MeshPart& part : character.mesh.parts) {
    SINEW_CHECK(isJoint(part.node) && part.mesh >= 0 && part.instances >= 0 && part.vertexCount >= 0 &&
                    part.vertexCount <= character.mesh.vertexCount(),
                "", fmt::format("part '{}' refers to a node or a mesh that does not exist", part.name));
  }
  for (const MorphTarget& morph : character.morphs) {
    SINEW_CHECK(morph.mesh >= 0 && morph.firstVertex >= 0 && morph.firstVertex <= character.mesh.vertexCount() &&
                    std::isfinite(morph.defaultWeight),
                "", fmt::format("morph target '{}' belongs to no mesh", morph.name));
    SINEW_CHECK(morph.normalDeltas.allFinite(), "", fmt::format("morph target '{}' is not finite", morph.name));
  }
  for (const Clip& clip : character.clips) {
    for (const ClipChannel& channel : clip.channels) {
      SINEW_CHECK(channel.path >= ClipPath::Translation && channel.path <= ClipPath::Weights &&
                      channel.interpolation >= Interpolation::Linear &&
                      channel.interpolation <= Interpolation::CubicSpline && isJoint(channel.joint) &&
                      !channel.times.empty(),
                  "", fmt::format("clip '{}' has a channel of an unknown kind", clip.name));
    }
  }
}

/// All guarantees of the readers of io for a character.
void checkAll(const Character& character) {
  checkParts(character);
  checkCharacter(character, "");
  SINEW_CHECK(character.mesh.normals.allFinite() && character.mesh.uvs.allFinite(), "",
              "the mesh has a value that is not a finite number");
  for (const Joint& joint : character.skeleton.joints()) {
    SINEW_CHECK(
        joint.rest.translation.allFinite() && joint.rest.rotation.coeffs().allFinite() && joint.rest.scale.allFinite(),
        "", fmt::format("the joint '{}' has a value that is not a finite number", joint.name));
  }
  checkClips(character, false);
}

}  // namespace

std::string characterToBytes(const CharacterFile& file) {
  CharacterFile copy;
  copy.character = file.character;
  copy.problems = file.problems;
  Loose loose = taken(file.character);
  Packing packing;
  pass(packing, copy, loose);
  return std::move(packing.bytes);
}

CharacterFile characterFromBytes(std::string_view bytes) {
  CharacterFile file;
  Loose loose;
  Unpacking unpacking(bytes);
  pass(unpacking, file, loose);
  SINEW_CHECK(unpacking.empty(), "", "the result of the importer has extra bytes at its end");
  SINEW_CHECK(loose.bindings.size() == loose.weights.size(), "",
              "the result of the importer has an incomplete list of weights");
  Character& character = file.character;
  character.skeleton = Skeleton(std::move(loose.joints));
  std::vector<Influence> influences(loose.weights.size());
  for (std::size_t i = 0; i < influences.size(); ++i) influences[i] = {loose.bindings[i], loose.weights[i]};
  character.skin.weights = SkinWeights(character.skin.bindings.size(), std::move(loose.offsets), std::move(influences));
  checkAll(character);
  return file;
}

}  // namespace sinew::foreign
