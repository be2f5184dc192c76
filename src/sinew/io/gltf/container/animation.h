// Names of channel paths and interpolations, and which channels Sinew understands: the reader and the writer agree
// here.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sinew/character/clip.h"
#include "sinew/io/gltf/container/json.h"

namespace sinew::gltf {

struct PathRow {
  std::string_view name;
  ClipPath path;
  std::size_t components;
};
inline constexpr std::array kPaths = {PathRow{"translation", ClipPath::Translation, 3},
                                      PathRow{"rotation", ClipPath::Rotation, 4}, PathRow{"scale", ClipPath::Scale, 3},
                                      PathRow{"weights", ClipPath::Weights, 1}};

struct InterpolationRow {
  std::string_view name;
  Interpolation interpolation;
};
inline constexpr std::array kInterpolations = {InterpolationRow{"LINEAR", Interpolation::Linear},
                                               InterpolationRow{"STEP", Interpolation::Step},
                                               InterpolationRow{"CUBICSPLINE", Interpolation::CubicSpline}};

/// The target of a channel, or nothing for channels without a node, with unknown paths, and with weights of a node
/// other than the mesh's first instance: such channels stay in the document.
struct ChannelTarget {
  const PathRow* path = nullptr;
  std::size_t node = 0;
};
struct Reading;
std::optional<ChannelTarget> understoodTarget(const Reading& reading, const Json& channel, const std::string& where);

}  // namespace sinew::gltf
