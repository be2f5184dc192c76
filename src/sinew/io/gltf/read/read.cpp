#include "sinew/io/gltf/read/read.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "sinew/base/error.h"
#include "sinew/io/gltf/blocks/block.h"

namespace sinew::gltf {
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
  return reading;
}

CharacterFile characterOf(std::shared_ptr<GltfDocument> document, const ReadOptions& options) {
  CharacterFile file;
  file.problems = document->complaints;
  report(options.progress, {0.5, "reading"});
  Reading reading = readDocument(*document, file.problems);
  report(options.progress, {0.8, "reading"});
  readBlocks(reading, file);
  file.source = std::move(document);
  return file;
}

}  // namespace sinew::gltf
