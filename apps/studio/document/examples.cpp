#include "studio/document/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "sinew/base/error.h"
#include "studio/document/blob.h"
#include "studio/document/document.h"

namespace sinew::studio {
namespace {

/// "SXS1", u32 0, u64 vertices, u64 entries of the mask, x y z per vertex, the mask; doubles.
constexpr std::string_view kMagic = "SXS1";
constexpr std::size_t kHeader = 24;
constexpr std::uint64_t kMostVertices = std::uint64_t{1} << 32;

void put(std::string& bytes, const void* from, std::size_t count) {
  bytes.append(static_cast<const char*>(from), count);
}

}  // namespace

DocumentExamples examplesOf(const ExampleList& list, const DocumentExamples& known, const ExampleShapes& shapes) {
  DocumentExamples examples{list};
  const auto add = [&](const std::string& file) {
    if (file.empty() || examples.shapes.contains(file)) return;
    const auto found = known.shapes.find(file);
    examples.shapes.emplace(file, found == known.shapes.end() ? shapes.shape(file) : found->second);
  };
  add(list.rest);
  for (const ExampleState& example : list.examples) add(example.shape);
  if (list.sculpt) add(list.sculpt->shape);
  return examples;
}

ExampleSet exampleSet(const Document& document) {
  const DocumentExamples& from = document.examples;
  ExampleSet set;
  if (!from.list.rest.empty()) set.rest = from.shapes.at(from.list.rest)->points;
  for (const ExampleState& example : from.list.examples) {
    const ExampleShape& shape = from.shapeOf(example);
    set.examples.push_back({.name = example.name,
                            .pose = poseInFile(document.file, example.pose),
                            .points = shape.points,
                            .mask = shape.mask,
                            .confidence = example.confidence});
  }
  set.drivers = from.list.drivers;
  return set;
}

Document copyForJob(const Document& document) {
  Document copy;
  copy.file = document.file;
  copy.examples = document.examples;
  return copy;
}

Pose poseOfExample(const CharacterFile& file, const Pose& pose) {
  const std::vector<int>& imitations = file.poseSpaceMorphs.morphs;
  Pose example{pose.local, {}};
  for (std::size_t m = 0; m < pose.morphWeights.size(); ++m) {
    if (std::find(imitations.begin(), imitations.end(), static_cast<int>(m)) == imitations.end())
      example.morphWeights.push_back(pose.morphWeights[m]);
  }
  return example;
}

Pose poseInFile(const CharacterFile& file, const Pose& example) {
  const std::vector<int>& imitations = file.poseSpaceMorphs.morphs;
  Pose pose = restPose(file.character);
  std::copy_n(example.local.begin(), std::min(example.local.size(), pose.local.size()), pose.local.begin());
  std::size_t next = 0;
  for (std::size_t m = 0; m < pose.morphWeights.size() && next < example.morphWeights.size(); ++m) {
    if (std::find(imitations.begin(), imitations.end(), static_cast<int>(m)) == imitations.end())
      pose.morphWeights[m] = example.morphWeights[next++];
  }
  return pose;
}

std::string offeredExamples(const Document& document, const std::string& sample) {
  if (!document.file.character.hasSkin() || document.file.reduced) return {};
  std::error_code fault;
  const std::filesystem::path beside = document.path.parent_path() / "examples.json";
  if (!document.path.empty() && std::filesystem::is_regular_file(beside, fault)) return beside.string();
  return sample.empty() ? std::string() : std::string(kOfSample) + sample;
}

bool keepsExamples(const Character& before, const Character& after) {
  const auto& old = before.skeleton.joints();
  const auto& now = after.skeleton.joints();
  return before.mesh.vertexCount() == after.mesh.vertexCount() && old.size() <= now.size() &&
         std::equal(old.begin(), old.end(), now.begin(),
                    [](const Joint& a, const Joint& b) { return a.name == b.name && a.parent == b.parent; });
}

std::string packShape(const ExampleShape& shape) {
  const auto vertices = static_cast<std::uint64_t>(shape.points.cols());
  const auto masked = static_cast<std::uint64_t>(shape.mask.size());
  constexpr std::uint32_t kZero = 0;
  std::string bytes(kMagic);
  bytes.reserve(kHeader + sizeof(double) * (3 * vertices + masked));
  put(bytes, &kZero, sizeof(kZero));
  put(bytes, &vertices, sizeof(vertices));
  put(bytes, &masked, sizeof(masked));
  put(bytes, shape.points.data(), sizeof(double) * 3 * vertices);
  put(bytes, shape.mask.data(), sizeof(double) * masked);
  return bytes;
}

PackedShape packedShape(Points points, std::vector<double> mask) {
  PackedShape packed{{{}, std::move(points), std::move(mask)}, {}};
  if (!packed.shape.points.allFinite()) throw Error(ErrorCode::BadInput, "an example has a vertex that is not finite");
  packed.bytes = packShape(packed.shape);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(packed.bytes.data());
  packed.shape.file = fmt::format("{}{}.bin", kShapePrefix, contentName({bytes, packed.bytes.size()}));
  return packed;
}

ExampleShape unpackShape(std::string_view bytes) {
  const auto refuse = [] { throw Error(ErrorCode::BadInput, "is not the shape of an example"); };
  if (bytes.size() < kHeader || !bytes.starts_with(kMagic)) refuse();
  std::uint64_t vertices = 0;
  std::uint64_t masked = 0;
  std::memcpy(&vertices, bytes.data() + 8, sizeof(vertices));
  std::memcpy(&masked, bytes.data() + 16, sizeof(masked));
  if (vertices > kMostVertices || (masked != 0 && masked != vertices) ||
      bytes.size() != kHeader + sizeof(double) * (3 * vertices + masked))
    refuse();
  ExampleShape shape;
  shape.points.resize(3, static_cast<Index>(vertices));
  shape.mask.resize(masked);
  std::memcpy(shape.points.data(), bytes.data() + kHeader, sizeof(double) * 3 * vertices);
  std::memcpy(shape.mask.data(), bytes.data() + kHeader + sizeof(double) * 3 * vertices, sizeof(double) * masked);
  const bool isMask = std::all_of(shape.mask.begin(), shape.mask.end(), [](double m) { return m >= 0 && m <= 1; });
  if (!shape.points.allFinite() || !isMask) refuse();
  return shape;
}

}  // namespace sinew::studio
