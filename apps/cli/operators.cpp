#include "operators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "argument_value.h"
#include "console.h"
#include "sinew/base/error.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/stack.h"
#include "sinew/io/deformer_files.h"

namespace sinew::cli {
namespace {

struct Named {
  const DeformerRow* row = nullptr;
  std::string file;
  std::string text;
};

const DeformerRow& rowOf(const std::string& name, const std::string& text) {
  std::vector<std::string> names;
  for (const DeformerRow& row : deformers()) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw Error(ErrorCode::NotFound,
              fmt::format("there is no operator '{}'{}", name,
                          didYouMean(name, names, fmt::format("; choose {}", fmt::join(names, ", ")))),
              "--deformer " + text);
}

Named parse(const std::string& text) {
  const std::size_t colon = text.find(':');
  Named named{&rowOf(text.substr(0, colon), text), colon == std::string::npos ? "" : text.substr(colon + 1), text};
  if ((named.row->source == DeformerSource::Options) == named.file.empty()) {
    throw Error(ErrorCode::BadInput,
                named.file.empty() ? fmt::format("needs a file with its settings: write {}:FILE.json", named.row->name)
                                   : fmt::format("does not take a file: write {}", named.row->name),
                "--deformer " + text);
  }
  return named;
}

}  // namespace

void checkOperators(const std::vector<std::string>& names) {
  for (const std::string& name : names) static_cast<void>(parse(name));
}

std::vector<NamedOperator> makeOperators(const std::vector<std::string>& names, const Character& character) {
  if (names.empty()) return {};
  std::vector<Named> parsed;
  parsed.reserve(names.size() + 1);
  for (const std::string& name : names) parsed.push_back(parse(name));
  const auto isSkin = [](const Named& named) { return named.row->source == DeformerSource::Skin; };
  const bool addsSkin = character.hasSkin() && std::none_of(parsed.begin(), parsed.end(), isSkin);
  if (addsSkin) parsed.insert(parsed.begin(), Named{&deformerRow("linear-blend"), "", "linear-blend"});

  std::vector<NamedOperator> operators;
  PointSpace space = character.hasSkin() ? PointSpace::Rest : PointSpace::Posed;
  for (const Named& named : parsed) {
    if (isSkin(named)) {
      if (!character.hasSkin()) {
        throw Error(ErrorCode::BadInput, "the character has no skin; bind it first with `sinew bind`",
                    "--deformer " + std::string(named.row->name));
      }
      operators.push_back({named.text, named.row->fromSkin(character.skin), false});
      space = PointSpace::Posed;
    } else {
      operators.push_back({named.text, readDeformer(named.row->name, named.file, character, space), true});
    }
  }
  return operators;
}

std::vector<std::string> unreachingOperators(const Playing& playing, const Character& character,
                                             std::span<const Pose> poses) {
  std::vector<bool> reaches(playing.operators.size(), false);
  for (const Pose& pose : poses) {
    PosedJoints joints;
    poseJoints(character, pose, joints);
    Points points;
    applyMorphs(character, pose.morphWeights, points);
    for (std::size_t i = 0; i < playing.operators.size(); ++i) {
      const NamedOperator& named = playing.operators[i];
      if (named.fromFile && !reaches[i]) reaches[i] = named.deformer->reached(points, joints) > 0;
      points = named.deformer->deform(points, joints);
      if (!points.allFinite()) {
        throw Error(ErrorCode::BadInput, "moves points to positions that are not finite; check its settings",
                    named.name);
      }
    }
  }
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < playing.operators.size(); ++i) {
    if (!playing.operators[i].fromFile || reaches[i]) continue;
    sentences.push_back(fmt::format(
        "--deformer {}: affects no vertex; check its position and size (files are in world space of the rest pose)",
        playing.operators[i].name));
  }
  return sentences;
}

void notePlain(const CharacterFile& file, const std::string& path, const Console& console) {
  if (file.poseSpace) return;
  console.note(
      fmt::format("{}: has no learned corrections (pose space), so --plain has no effect; weights and helper joints "
                  "are part of the skin",
                  path));
}

Playing playingOf(const CharacterFile& file, const std::vector<std::string>& deformers, bool plain) {
  Playing playing{nullptr, file.learned(), makeOperators(deformers, file.character)};
  std::vector<DeformerPtr> stack;
  for (const NamedOperator& named : playing.operators) stack.push_back(named.deformer);
  if (stack.size() == 1) playing.deformer = stack.front();
  if (stack.size() > 1) playing.deformer = std::make_shared<DeformerStack>(std::move(stack));
  if (plain || playing.deformer) playing.learned.poseSpace = nullptr;
  return playing;
}

}  // namespace sinew::cli
