// The skin as a surface to select on: seams closed, and distances over it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/character/character.h"
#include "sinew/character/correspondence.h"

namespace sinew {

/// How a selection fades out.
enum class Falloff { Smooth, Linear, Sharp, Round };
constexpr auto choiceRows(Falloff) {
  return choiceTable<Falloff>(
      {{Falloff::Smooth, "smooth"}, {Falloff::Linear, "linear"}, {Falloff::Sharp, "sharp"}, {Falloff::Round, "round"}});
}
/// The curve: 1 at distance 0, 0 at distance 1. The distance must be from 0 to 1.
double falloffShare(Falloff falloff, double distance);

/// Built once for a character and shared by its drags: it depends on the mesh and the rest pose, not on the weights.
class DragSurface {
 public:
  explicit DragSurface(const Character& character);

  [[nodiscard]] const WeldMap& weld() const { return weld_; }
  /// The file vertices of a point, ascending.
  [[nodiscard]] std::span<const std::uint32_t> verticesOf(std::uint32_t point) const;

  struct Near {
    std::uint32_t point = 0;
    double distance = 0;
  };
  /// Memory of repeated searches.
  struct Search {
    std::vector<double> distance;  ///< per point, infinite if it was not reached
    std::vector<Near> heap;
    std::vector<char> known;
  };
  /// Points less than `radius` away from `source` over the surface with vertices at `posed`, the nearest first; the
  /// source itself is the first. Exact on flat pieces except for rounding, elsewhere at most a few percent too long.
  void within(const ConstPointsRef& posed, std::uint32_t source, double radius, Search& search,
              std::vector<Near>& found) const;
  /// The same from the nearest of several sources; these come first.
  void within(const ConstPointsRef& posed, std::span<const std::uint32_t> sources, double radius, Search& search,
              std::vector<Near>& found) const;
  /// The same with straight distances, which leap over gaps between limbs.
  void withinBall(const ConstPointsRef& posed, std::uint32_t source, double radius, std::vector<Near>& found) const;
  /// Points at most `count` edges away, with this number as distance; the source itself is the first.
  void rings(std::uint32_t source, int count, Search& search, std::vector<Near>& found) const;

 private:
  void spread(const ConstPointsRef& posed, std::uint32_t from, Search& search) const;
  void offer(std::uint32_t point, double distance, Search& search) const;
  void fit(Search& search) const;
  [[nodiscard]] Vec3 place(const ConstPointsRef& posed, std::uint32_t point) const {
    return posed.col(static_cast<Index>(weld_.firstVertex[point]));
  }

  WeldMap weld_;
  std::vector<std::uint32_t> vertexStart_;  ///< per point, and the end
  std::vector<std::uint32_t> vertices_;
  std::vector<Triangle> triangles_;           ///< of points
  std::vector<std::uint32_t> triangleStart_;  ///< per point, and the end
  std::vector<std::uint32_t> around_;         ///< triangles of each point
};

}  // namespace sinew
