// What a skin may cost where it is played, and what one costs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/character/character.h"

namespace sinew {

/// Limits; what is not given is not limited.
struct SkinBudget {
  std::optional<int> influences{};      ///< joints per vertex
  std::optional<int> helpers{};         ///< helper joints that are added
  std::optional<int> morphs{};          ///< morph targets that are added to a mesh
  std::optional<std::size_t> bytes{};   ///< that are added to the file
  std::optional<double> nanoseconds{};  ///< per vertex and frame, as playbackNanoseconds() estimates them

  /// "4 influences, 8 helper joints, 500 kB"; "no limits".
  [[nodiscard]] std::string text() const;
};

/// `where` of errors about budgets.
inline constexpr const char* kBudgetWhere = "budget";

/// "influences 4, helpers 8, morphs 16, bytes 500k", or "4 influences, 8 helper joints, 16 morph targets, 500 kB, 1.5
/// ns", any part of it. k and M are thousands and millions. Throws BadInput in `where`, with the nearest word.
SkinBudget parseSkinBudget(std::string_view text, const char* where = kBudgetWhere);

/// What a skin costs, in the terms of a budget.
struct SkinCost {
  int influences = 0;
  int helpers = 0;
  int morphs = 0;
  std::size_t bytes = 0;
  double nanoseconds = 0;

  /// "4 influences, 8 helper joints, 16 morph targets, 480.2 kB, 1.3 ns per vertex"
  [[nodiscard]] std::string text() const;
};

bool isWithin(const SkinCost& cost, const SkinBudget& budget);

/// The cost of `learned`, which was made from `before`. `bytes` stays 0: it depends on how a file is written.
SkinCost skinCost(const Character& before, const Character& learned);

/// An estimate of the packed runtime, the same on every machine (docs/methods/learn.md, L2): nanoseconds per skinned
/// vertex and frame for the joints of each vertex, and for `added` morph targets at the end of the list.
double playbackNanoseconds(const Character& character, std::size_t added);

}  // namespace sinew
