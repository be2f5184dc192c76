#include "operators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "argument_value.h"
#include "command.h"
#include "console.h"
#include "sinew/base/error.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/pose_space.h"
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

/// It takes points of the rest shape to posed ones.
bool skins(const Named& named) {
  return named.row->source != DeformerSource::Options;
}

std::vector<NamedOperator> makeOperators(const std::vector<std::string>& names, const CharacterFile& file, bool plain) {
  const Character& character = file.character;
  std::vector<Named> parsed;
  parsed.reserve(names.size() + 1);
  for (const std::string& name : names) parsed.push_back(parse(name));
  if (character.hasSkin() && std::none_of(parsed.begin(), parsed.end(), skins)) {
    const char* own = file.poseSpace && !plain ? "pose-space" : "linear-blend";
    parsed.insert(parsed.begin(), Named{&deformerRow(own), "", own});
  }

  std::vector<NamedOperator> operators;
  PointSpace space = character.hasSkin() ? PointSpace::Rest : PointSpace::Posed;
  for (const Named& named : parsed) {
    if (!skins(named)) {
      operators.push_back({named.text, readDeformer(named.row->name, named.file, character, space), named.row->source});
      continue;
    }
    if (!character.hasSkin()) {
      throw Error(ErrorCode::BadInput,
                  fmt::format("--deformer {}: the character has no skin; bind it first with `sinew bind`", named.text));
    }
    if (named.row->source == DeformerSource::Skin) {
      operators.push_back({named.text, named.row->fromSkin(character.skin), named.row->source});
    } else {
      if (plain) throw UsageError("--plain leaves out what --deformer pose-space plays; give only one of them");
      if (!file.poseSpace)
        throw Error(ErrorCode::BadInput,
                    fmt::format("--deformer {}: the character has no learned corrections; learn them with `sinew psd`",
                                named.text));
      operators.push_back({named.text, correctionsOf(file), named.row->source});
    }
    space = PointSpace::Posed;
  }
  return operators;
}

std::vector<std::string> posedTwice(const std::vector<NamedOperator>& operators) {
  std::vector<std::string> sentences;
  const NamedOperator* first = nullptr;
  for (const NamedOperator& named : operators) {
    if (named.source == DeformerSource::Options) continue;
    if (first == nullptr) {
      first = &named;
      continue;
    }
    const bool learned = named.source == DeformerSource::Model || first->source == DeformerSource::Model;
    sentences.push_back(
        fmt::format("--deformer {}: poses points that {} has already posed, so the pose acts twice; name one of them{}",
                    named.name, first->name, learned ? " (psd --base chooses the skinning under corrections)" : ""));
  }
  return sentences;
}

}  // namespace

void checkOperators(const std::vector<std::string>& names) {
  for (const std::string& name : names) static_cast<void>(parse(name));
}

std::vector<std::string> operatorWarnings(const Playing& playing, const Character& character,
                                          std::span<const Pose> poses) {
  std::vector<bool> reaches(playing.operators.size(), false);
  for (const Pose& pose : poses) {
    PosedJoints joints;
    poseJoints(character, pose, joints);
    Points points;
    std::vector<double> morphWeights;
    playing.playback.morph(character, pose, morphWeights, points);
    for (std::size_t i = 0; i < playing.operators.size(); ++i) {
      const NamedOperator& named = playing.operators[i];
      if (named.source == DeformerSource::Options && !reaches[i])
        reaches[i] = named.deformer->reached(points, joints) > 0;
      points = named.deformer->deform(points, joints);
      if (!points.allFinite()) {
        throw Error(ErrorCode::BadInput, "moves points to positions that are not finite; check its settings",
                    named.name);
      }
    }
  }
  std::vector<std::string> sentences = posedTwice(playing.operators);
  for (std::size_t i = 0; i < playing.operators.size(); ++i) {
    if (playing.operators[i].source != DeformerSource::Options || reaches[i]) continue;
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
  Playing playing;
  playing.playback.silentMorphs = file.poseSpaceMorphs.morphs;
  if (deformers.empty()) {
    if (plain || !file.poseSpace) return playing;
    playing.playback = file.playback();
    playing.learned.emplace_back(playing.playback.deformer->name());
    return playing;
  }
  playing.operators = makeOperators(deformers, file, plain);
  std::vector<DeformerPtr> stack;
  for (const NamedOperator& named : playing.operators) {
    stack.push_back(named.deformer);
    if (named.source == DeformerSource::Model) playing.learned.push_back(named.name);
  }
  playing.playback.deformer = stack.size() == 1 ? stack.front() : std::make_shared<DeformerStack>(std::move(stack));
  return playing;
}

}  // namespace sinew::cli
