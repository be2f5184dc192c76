#include "operators.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/error.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/stack.h"
#include "sinew/io/deformer_files.h"

namespace sinew::cli {
namespace {

struct Named {
  const DeformerRow* row = nullptr;
  std::string file;
};

Named parse(const std::string& text) {
  const std::size_t colon = text.find(':');
  Named named{&deformerRow(text.substr(0, colon)), colon == std::string::npos ? "" : text.substr(colon + 1)};
  if ((named.row->source == DeformerSource::Options) == named.file.empty()) {
    throw Error(ErrorCode::BadInput,
                named.file.empty() ? fmt::format("needs a file with its settings: write {}:FILE.json", named.row->name)
                                   : fmt::format("takes no file: write {}", named.row->name),
                "--deformer " + text);
  }
  return named;
}

}  // namespace

DeformerPtr makeOperators(const std::vector<std::string>& names, const Character& character) {
  if (names.empty()) return nullptr;
  std::vector<Named> parsed;
  parsed.reserve(names.size() + 1);
  for (const std::string& name : names) parsed.push_back(parse(name));
  const auto isSkin = [](const Named& named) { return named.row->source == DeformerSource::Skin; };
  const bool addsSkin = character.hasSkin() && std::none_of(parsed.begin(), parsed.end(), isSkin);
  if (addsSkin) parsed.insert(parsed.begin(), Named{&deformerRow("linear-blend"), ""});

  std::vector<DeformerPtr> operators;
  PointSpace space = character.hasSkin() ? PointSpace::Rest : PointSpace::Posed;
  for (const Named& named : parsed) {
    if (isSkin(named)) {
      if (!character.hasSkin()) {
        throw Error(ErrorCode::BadInput, "the character has no skin; bind it first with `sinew bind`",
                    "--deformer " + std::string(named.row->name));
      }
      operators.push_back(named.row->fromSkin(character.skin));
      space = PointSpace::Posed;
    } else {
      operators.push_back(readDeformer(named.row->name, named.file, character, space));
    }
  }
  if (operators.size() == 1) return operators.front();
  return std::make_shared<DeformerStack>(std::move(operators));
}

Playing playingOf(const CharacterFile& file, const std::vector<std::string>& deformers, bool plain) {
  Playing playing{makeOperators(deformers, file.character), file.learned()};
  if (plain || playing.deformer) playing.learned.poseSpace = nullptr;
  return playing;
}

}  // namespace sinew::cli
