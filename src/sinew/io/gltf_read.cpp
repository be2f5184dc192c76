#include "sinew/io/gltf_read.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"
#include "sinew/io/gltf_helpers.h"
#include "sinew/io/gltf_pose_space.h"
#include "sinew/io/gltf_poses.h"
#include "sinew/io/gltf_reduced.h"
#include "sinew/io/gltf_rest_shape.h"

namespace sinew {
namespace gltf {
namespace {

/// A small file may name the same bytes again and again, or accessors of zeros without bytes. Honest files stay far
/// below this many elements per byte.
constexpr double kElementsPerByte = 16;
constexpr double kElementsAlways = 1e6;

double elementBudget(const GltfDocument& document) {
  double bytes = 0;
  for (const std::string& buffer : document.buffers) bytes += static_cast<double>(buffer.size());
  return kElementsAlways + kElementsPerByte * bytes;
}

}  // namespace

AccessorView Reading::open(const Json& reference, const std::string& where) {
  const std::size_t index = indexOf(reference, list("accessors").size(), where);
  AccessorView view = openAccessor(document, index, where);
  elementsLeft -= static_cast<double>(view.count);
  if (elementsLeft < 0) {
    refuse(fmt::format("{} declares {} elements, more than the file's size allows; export the file again", view.where,
                       view.count));
  }
  return view;
}

void Reading::fault(const std::string& what, const std::string& remedy, const std::string& mended) {
  if (!document.tolerant) throw Error(ErrorCode::BadInput, what + "; " + remedy);
  problems.push_back(what + "; " + mended + ".");
}

void Reading::mendNumbers(double* numbers, std::size_t count, std::size_t rows, const std::string& where,
                          const char* element) {
  std::size_t bad = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(numbers[i])) continue;
    if (bad++ == 0) first = i;
  }
  if (bad == 0) return;
  fault(fmt::format("{} has {} numbers that are not finite, the first ({}) at {} {}", where, bad, numbers[first],
                    element, first / rows),
        "remove them in your modelling tool", "they were read as 0");
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(numbers[i])) numbers[i] = 0;
  }
}

Reading readDocument(const GltfDocument& document, std::vector<std::string>& problems) {
  Reading reading{.document = document,
                  .problems = problems,
                  .elementsLeft = elementBudget(document),
                  .character = {},
                  .placements = {},
                  .primitives = {},
                  .firstMorph = {},
                  .firstBinding = {}};
  checkReferences(document.json);
  reading.character.name = document.name;
  readNodes(reading);
  readMeshes(reading);
  readSkins(reading);
  readMorphs(reading);
  readAnimations(reading);
  readHelpers(reading);
  return reading;
}

}  // namespace gltf

CharacterFile readGltfFromMemory(const std::string& bytes, const std::filesystem::path& folder, const std::string& name,
                                 const ReadOptions& options) {
  auto document = std::make_shared<GltfDocument>(gltf::openDocument(bytes, folder, options.rules.root));
  document->name = name;
  document->tolerant = options.tolerant;
  CharacterFile file = gltf::characterOf(std::move(document), options);
  file.format = bytes.rfind("glTF", 0) == 0 ? "glTF binary" : "glTF";
  return file;
}

CharacterFile gltf::characterOf(std::shared_ptr<GltfDocument> document, const ReadOptions& options) {
  CharacterFile file;
  file.problems = document->complaints;
  report(options.progress, {0.5, "reading"});
  gltf::Reading reading = gltf::readDocument(*document, file.problems);
  report(options.progress, {0.8, "reading"});
  gltf::PoseSpaceBlock learned = gltf::readPoseSpace(reading, file.problems);
  file.reduced = gltf::readReduced(reading, file.problems);
  file.examplesRest = gltf::readRestShape(reading, file.problems);
  file.poses = gltf::readPoses(reading, file.problems);
  file.character = std::move(reading.character);
  file.poseSpace = std::move(learned.model);
  file.poseSpaceMorphs = std::move(learned.morphs);
  if (const gltf::Json* extensions = gltf::find(document->json, "extensions")) {
    for (const auto& [extension, block] : extensions->items()) {
      const bool leftOut = (extension == gltf::kPoseSpaceBlock && !file.poseSpace) ||
                           (extension == gltf::kHelperBlock && file.character.helpers.empty()) ||
                           (extension == gltf::kRestShapeBlock && file.examplesRest.cols() == 0) ||
                           (extension == gltf::kPosesBlock && file.poses.empty()) ||
                           (extension == gltf::kReducedBlock && !file.reduced);
      if (extension.rfind("SINEW_", 0) == 0 && !leftOut) file.blocks.push_back(extension);
    }
  }
  file.source = std::move(document);
  return file;
}

CharacterFile readGltf(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string bytes = readFile(path, options.progress);
  try {
    return readGltfFromMemory(bytes, path.parent_path(), path.stem().string(), options);
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), path.string());
  }
}

}  // namespace sinew
