#include "sinew/io/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/deform/posing.h"
#include "sinew/io/examples/manifest.h"
#include "sinew/io/examples/plan.h"
#include "sinew/io/examples/sequence.h"
#include "sinew/io/poses.h"

namespace sinew::examples {
namespace {

namespace fs = std::filesystem;

constexpr double kMegabyte = 1e6;
/// Warnings about shapes that are listed; the others are counted.
constexpr std::size_t kMostWarnings = 24;

double bytesOf(const Example& example, const Points& placed) {
  return static_cast<double>(sizeof(double)) *
         static_cast<double>(example.points.size() + placed.size() + static_cast<Index>(example.mask.size()));
}

/// Root of the mean square over all vertices.
double plainErrorOf(const Example& example, const Points& posed) {
  double squares = 0;
  for (Index v = 0; v < posed.cols(); ++v) {
    const double factor = example.mask.empty() ? 1 : example.mask[toSize(v)];
    squares += factor * (example.points.col(v) - posed.col(v)).squaredNorm();
  }
  return posed.cols() > 0 ? std::sqrt(squares / static_cast<double>(posed.cols())) : 0;
}

std::unique_ptr<ExampleFiles> opened(const fs::path& manifest, const Character& character, const Points& madeOn,
                                     const OpenExamplesOptions& options) {
  Plan plan(character, madeOn, options);
  readManifest(manifest, plan);
  return std::make_unique<ExampleFiles>(std::move(plan), options.memory);
}

ExamplesFile allOf(std::unique_ptr<ExampleFiles> files, const Progress& progress) {
  ExamplesFile all{.set = files->outline()};
  for (std::size_t k = 0; k < files->size(); ++k) {
    report(progress, {static_cast<double>(k) / static_cast<double>(files->size()), "reading examples"});
    files->read(k, all.set.examples[k]);
    all.placed.push_back(files->placed());
  }
  all.notes = files->notes();
  all.warnings = files->warnings();
  all.frames = files->frames();
  return all;
}

}  // namespace
}  // namespace sinew::examples

namespace sinew {

namespace fs = std::filesystem;

ExampleFiles::ExampleFiles(examples::Plan plan, double memory)
    : ExampleSource(plan.outline),
      plan_(std::make_unique<examples::Plan>(std::move(plan))),
      kept_(size()),
      room_(memory * examples::kMegabyte),
      checked_(size(), false),
      plainErrors_(size(), 0) {}

ExampleFiles::~ExampleFiles() = default;

std::size_t ExampleFiles::frames() const {
  return plan_->frames;
}

const std::vector<std::string>& ExampleFiles::notes() const {
  return plan_->notes;
}

std::vector<std::string> ExampleFiles::warnings() const {
  std::vector<std::string> all = plan_->warnings;
  if (moreWarnings_ > 0) {
    all.push_back(
        fmt::format("there {} about other shapes; the files above show what to look for",
                    moreWarnings_ == 1 ? "is 1 more warning" : fmt::format("are {} more warnings", moreWarnings_)));
  }
  return all;
}

void ExampleFiles::check(const Progress& progress) {
  for (std::size_t k = 0; k < size(); ++k) {
    report(progress, {static_cast<double>(k) / static_cast<double>(size()), "reading examples"});
    if (checked_[k]) continue;
    auto kept = std::make_unique<Kept>();
    load(k, kept->example);
    kept->placed = placed_;
    const double bytes = examples::bytesOf(kept->example, kept->placed);
    if (bytes > room_) continue;
    room_ -= bytes;
    kept_[k] = std::move(kept);
  }
}

void ExampleFiles::read(std::size_t k, Example& example) {
  if (k < kept_.size() && kept_[k]) {
    example = kept_[k]->example;
    placed_ = kept_[k]->placed;
    return;
  }
  load(k, example);
}

void ExampleFiles::load(std::size_t k, Example& example) {
  const examples::Entry& entry = plan_->entries.at(k);
  const examples::SculptMatcher& matcher = *entry.matcher;
  const Character& character = plan_->character;
  const fs::path file = entry.shapes->file(entry.frame);
  examples::Shape sculpt = entry.shapes->read(entry.frame);
  example = outline().examples[k];
  Points posed(3, character.mesh.vertexCount());
  if (!checked_[k] || !matcher.allMatched()) posed = posePoints(character, example.pose);
  example.points = matcher.carry(file, sculpt.points, posed);
  if (!entry.mask.empty())
    example.mask = examples::readMask(entry.mask, matcher, sculpt.points.cols(), character.mesh.vertexCount());
  if (!matcher.allMatched()) {
    if (example.mask.empty()) example.mask.assign(toSize(character.mesh.vertexCount()), 1);
    for (Index v = 0; v < character.mesh.vertexCount(); ++v) {
      if (!matcher.isMatched(v)) example.mask[toSize(v)] = 0;
    }
  }
  if (!checked_[k]) inspect(k, sculpt, example, posed);
  placed_ = matcher.holdsAllPlaces(sculpt.points.cols()) ? std::move(sculpt.points) : Points(3, 0);
  allPlaced_ = allPlaced_ && placed_.cols() > 0;
}

void ExampleFiles::inspect(std::size_t k, const examples::Shape& sculpt, const Example& example, const Points& posed) {
  const examples::Entry& entry = plan_->entries[k];
  const fs::path file = entry.shapes->file(entry.frame);
  const std::string part = entry.shapes->part(entry.frame);
  std::vector<std::string> found;
  try {
    found = entry.matcher->check(file, sculpt, example.points, posed, plan_->sculpts);
  } catch (const Error& error) {
    if (part.empty()) throw;
    throw Error(error.code(), part + ": " + error.message(), error.where());
  }
  for (std::string& warning : found) {
    if (!part.empty()) warning.insert(0, part + " of ");
    if (plan_->warnings.size() < examples::kMostWarnings)
      plan_->warnings.push_back(std::move(warning));
    else
      ++moreWarnings_;
  }
  plainErrors_[k] = examples::plainErrorOf(example, posed);
  checked_[k] = true;
}

ClipSource clipSource(std::string_view text, const Character& character) {
  const std::string name(text);
  std::error_code fault;
  const bool own = std::any_of(character.clips.begin(), character.clips.end(),
                               [&](const Clip& clip) { return !clip.name.empty() && clip.name == name; });
  if (own) return {.name = name};
  if (fs::is_regular_file(name, fault)) return {.file = name};
  const std::size_t colon = name.rfind(':');
  if (colon == std::string::npos || colon == 0) return {.name = name};
  const fs::path file = name.substr(0, colon);
  if (fs::is_regular_file(file, fault) || file.has_extension()) return {.name = name.substr(colon + 1), .file = file};
  return {.name = name};
}

std::unique_ptr<ExampleFiles> openExamples(const fs::path& manifest, const CharacterFile& file,
                                           const OpenExamplesOptions& options) {
  return examples::opened(manifest, file.character, file.examplesRest, options);
}

std::unique_ptr<ExampleFiles> openExamples(const fs::path& manifest, const Character& character,
                                           const OpenExamplesOptions& options) {
  return examples::opened(manifest, character, Points(3, 0), options);
}

std::unique_ptr<ExampleFiles> openSequence(const SequenceFiles& sequence, const CharacterFile& file,
                                           const OpenExamplesOptions& options) {
  examples::Plan plan(file.character, file.examplesRest, options);
  examples::addSequence(sequence, {.name = options.name}, "", plan);
  return std::make_unique<ExampleFiles>(std::move(plan), options.memory);
}

ExamplesFile readExamples(const fs::path& manifest, const Character& character, const ReadExamplesOptions& options) {
  return examples::allOf(openExamples(manifest, character, {.force = options.force, .rules = options.rules}),
                         options.progress);
}

ExamplesFile readExamples(const fs::path& manifest, const CharacterFile& file, const ReadExamplesOptions& options) {
  return examples::allOf(openExamples(manifest, file, {.force = options.force, .rules = options.rules}),
                         options.progress);
}

}  // namespace sinew
