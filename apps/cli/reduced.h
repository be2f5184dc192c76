// What the commands of reduced models have in common: reading a model, measuring shapes against what it remembers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sinew/deform/reduced_model.h"
#include "sinew/io/formats.h"

namespace sinew::cli {

class Console;

struct ReducedFile {
  CharacterFile file;
  std::shared_ptr<const ReducedModel> model;
  std::vector<Triangle> triangles;
};

/// Throws if the file has no reduced model.
ReducedFile readReducedFile(const std::string& path, const Console& console);

/// The same model with the gradients of all vertices instead of its proxies, or of `most` that are evenly spread.
std::shared_ptr<const ReducedModel> withAllVertices(const ReducedFile& read, Index most = 0);

/// Shapes of the examples as their own controls make them, aligned to the rest.
Points exampleShape(const ReducedModel& model, std::size_t example);

/// Writes posed points as the file's mesh; the format follows the extension.
LostList writePosed(const std::string& path, const CharacterFile& file, const Points& points, const Console& console);

}  // namespace sinew::cli
