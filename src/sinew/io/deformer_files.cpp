// Hand-written lattices and wires: docs/formats.md has an example of each.
#include "sinew/io/deformer_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/error.h"
#include "sinew/deform/lattice.h"
#include "sinew/deform/wire.h"
#include "sinew/deform/world_rest.h"
#include "sinew/io/files.h"
#include "sinew/io/text/hand_written_json.h"

namespace sinew {
namespace {

/// The file and the character it is for.
struct Reading {
  const text::HandJson& json;
  const Character& character;
  const std::string& where;
  PointSpace space;
};

/// The binding of a joint given by name.
int bindingOf(const text::HandJson& name, const Reading& reading, const std::string& what) {
  if (!name.is_string()) text::refuseJson(reading.where, fmt::format("{} must be the name of a joint", what));
  const int joint = reading.character.skeleton.index(name.get<std::string>());
  const auto& bindings = reading.character.skin.bindings;
  const auto found =
      std::find_if(bindings.begin(), bindings.end(), [&](const Binding& binding) { return binding.joint == joint; });
  if (found == bindings.end()) {
    text::refuseJson(
        reading.where,
        fmt::format("{} refers to joint '{}', which the skin does not use; use one that `sinew info` lists", what, what,
                    name.get<std::string>()));
  }
  return static_cast<int>(found - bindings.begin());
}

std::vector<int> bindingsOf(const text::HandJson& json, const char* key, const Reading& reading) {
  std::vector<int> bindings;
  if (!json.contains(key)) return bindings;
  if (json[key].is_string()) return {bindingOf(json[key], reading, fmt::format("'{}'", key))};
  if (!json[key].is_array())
    text::refuseJson(reading.where, fmt::format("'{}' must be a joint's name or a list of names", key));
  for (const text::HandJson& name : json[key]) bindings.push_back(bindingOf(name, reading, fmt::format("'{}'", key)));
  return bindings;
}

Points pointsOf(const text::HandJson& json, const char* key, const Reading& reading) {
  if (!json.contains(key)) return Points(3, 0);
  if (!json[key].is_array())
    text::refuseJson(reading.where, fmt::format("'{}' must be a list of points [x, y, z]", key));
  Points points(3, static_cast<Index>(json[key].size()));
  for (Index i = 0; i < points.cols(); ++i) {
    const auto xyz = text::numbersOf(json[key][toSize(i)], 3, fmt::format("'{}' number {}", key, i), reading.where);
    points.col(i) = Vec3(xyz[0], xyz[1], xyz[2]);
  }
  return points;
}

double numberOr(const text::HandJson& json, const char* key, double otherwise, const Reading& reading) {
  return json.contains(key) ? text::numberOf(json[key], fmt::format("'{}'", key), reading.where) : otherwise;
}

Placement placementOf(const Reading& reading) {
  Placement placement;
  placement.space = reading.space;
  placement.restFromWorld = restFromWorld(reading.character);
  if (reading.json.contains("follow")) placement.follow = bindingOf(reading.json["follow"], reading, "'follow'");
  return placement;
}

DeformerPtr readLattice(const Reading& reading) {
  const text::HandJson& json = reading.json;
  text::checkObject(json, {"low", "high", "resolution", "displacements", "bindings", "follow", "outside", "border"},
                    "the lattice", reading.where);
  for (const char* key : {"low", "high", "resolution"}) {
    if (!json.contains(key)) text::refuseJson(reading.where, fmt::format("the lattice needs '{}'", key));
  }
  const auto low = text::numbersOf(json["low"], 3, "'low'", reading.where);
  const auto high = text::numbersOf(json["high"], 3, "'high'", reading.where);
  const auto resolution = text::numbersOf(json["resolution"], 3, "'resolution'", reading.where);
  LatticeOptions options;
  options.restFromBox = boxBetween(Vec3(low[0], low[1], low[2]), Vec3(high[0], high[1], high[2]));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(resolution[axis] >= 2 && resolution[axis] <= kMostLatticePoints) ||
        resolution[axis] != std::floor(resolution[axis])) {
      text::refuseJson(reading.where, fmt::format("'resolution' must contain whole numbers from 2 to {}, not {}",
                                                  kMostLatticePoints, resolution[axis]));
    }
    options.resolution[axis] = static_cast<int>(resolution[axis]);
  }
  options.displacements = pointsOf(json, "displacements", reading);
  options.controlBindings = bindingsOf(json, "bindings", reading);
  options.placement = placementOf(reading);
  options.border = numberOr(json, "border", options.border, reading);
  if (json.contains("outside")) {
    const auto outside =
        json["outside"].is_string() ? choiceOf<LatticeOutside>(json["outside"].get<std::string>()) : std::nullopt;
    if (!outside) {
      text::refuseJson(reading.where,
                       fmt::format("'outside' must be \"{}\"", fmt::join(choiceNames<LatticeOutside>(), "\" or \"")));
    }
    options.outside = *outside;
  }
  return std::make_shared<Lattice>(std::move(options));
}

Wire wireOf(const text::HandJson& json, const Reading& reading) {
  text::checkObject(json,
                    {"reference", "driven", "reference-bindings", "driven-bindings", "radius", "scale", "rotation"},
                    "a wire", reading.where);
  Wire wire;
  wire.reference = pointsOf(json, "reference", reading);
  wire.driven = pointsOf(json, "driven", reading);
  wire.referenceBindings = bindingsOf(json, "reference-bindings", reading);
  wire.drivenBindings = bindingsOf(json, "driven-bindings", reading);
  wire.radius = numberOr(json, "radius", wire.radius, reading);
  wire.scale = numberOr(json, "scale", wire.scale, reading);
  wire.rotation = numberOr(json, "rotation", wire.rotation, reading);
  return wire;
}

DeformerPtr readWires(const Reading& reading) {
  text::checkObject(reading.json, {"wires", "exponent", "follow"}, "the file", reading.where);
  if (!reading.json.contains("wires") || !reading.json["wires"].is_array()) {
    text::refuseJson(reading.where, "the file needs 'wires', a list of wires");
  }
  WireOptions options;
  for (const text::HandJson& wire : reading.json["wires"]) options.wires.push_back(wireOf(wire, reading));
  options.exponent = numberOr(reading.json, "exponent", options.exponent, reading);
  options.placement = placementOf(reading);
  return std::make_shared<WireDeformer>(std::move(options));
}

struct ReaderRow {
  std::string_view kind;
  DeformerPtr (*read)(const Reading&);
};
constexpr ReaderRow kReaders[] = {{"lattice", readLattice}, {"wire", readWires}};

}  // namespace

DeformerPtr readDeformer(std::string_view kind, const std::filesystem::path& path, const Character& character,
                         PointSpace space) {
  const auto* const row = std::find_if(std::begin(kReaders), std::end(kReaders),
                                       [&](const ReaderRow& reader) { return reader.kind == kind; });
  if (row == std::end(kReaders))
    throw Error(ErrorCode::NotFound, fmt::format("operators of the kind '{}' are not read from a file", kind));
  const std::string where = path.string();
  const text::HandJson json = text::parseHandJson(readFile(path), where, fmt::format("a file of {} settings", kind));
  try {
    DeformerPtr made = row->read({json, character, where, space});
    return space == PointSpace::Rest ? beforeSkin(std::move(made), character) : made;
  } catch (const Error& error) {
    // Settings that the operator rejects are a fault of the file.
    throw Error(error.code(), error.message(), where);
  }
}

}  // namespace sinew
