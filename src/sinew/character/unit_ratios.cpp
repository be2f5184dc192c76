#include "sinew/character/unit_ratios.h"

#include <array>
#include <cmath>

namespace sinew {
namespace {

constexpr std::array kUnitRatios = {
    UnitRatio{0.01, "centimetres to metres"},     UnitRatio{100, "metres to centimetres"},
    UnitRatio{0.001, "millimetres to metres"},    UnitRatio{1000, "metres to millimetres"},
    UnitRatio{0.1, "millimetres to centimetres"}, UnitRatio{10, "centimetres to millimetres"},
    UnitRatio{0.0254, "inches to metres"},        UnitRatio{1 / 0.0254, "metres to inches"},
    UnitRatio{2.54, "inches to centimetres"},     UnitRatio{1 / 2.54, "centimetres to inches"},
    UnitRatio{25.4, "inches to millimetres"},     UnitRatio{1 / 25.4, "millimetres to inches"},
    UnitRatio{0.3048, "feet to metres"},          UnitRatio{1 / 0.3048, "metres to feet"},
    UnitRatio{30.48, "feet to centimetres"},      UnitRatio{1 / 30.48, "centimetres to feet"},
};

}  // namespace

const UnitRatio* knownUnitRatio(double scale) {
  for (const UnitRatio& unit : kUnitRatios) {
    if (std::abs(scale / unit.ratio - 1) <= 0.005) return &unit;
  }
  return nullptr;
}

std::span<const UnitRatio> unitRatios() {
  return kUnitRatios;
}

}  // namespace sinew
