#include "sinew/io/examples/sequence.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/examples/clip.h"

namespace sinew::examples {
namespace {

namespace fs = std::filesystem;

/// More frames than this come from a wrong file or unit of time.
constexpr std::size_t kMostFrames = 100000;

/// Of the meshes: their own rest mesh, `rest` of their folder, or what the other examples have.
std::shared_ptr<SculptMatcher> matcherOf(const SequenceFiles& sequence, Plan& plan) {
  fs::path rest = sequence.rest;
  if (rest.empty() && plan.outline.rest.cols() == 0) rest = restOfSequence(sequence.meshes, plan.rules).value_or("");
  if (rest.empty()) return plan.matcher;
  checkInside(rest, plan.rules);
  auto matcher = std::make_shared<SculptMatcher>(plan.character, plan.madeOn);
  matcher->matchRestMesh(rest, plan.rules, plan.notes);
  return matcher;
}

std::string frameName(const ShapeList& shapes, std::size_t frame, const std::string& name) {
  std::string stem = shapes.file(frame).stem().string();
  if (name.empty() && shapes.part(frame).empty()) return stem;
  return fmt::format("{}_{:04}", name.empty() ? stem : name, frame + 1);
}

std::string freeName(const std::string& wanted, const Plan& plan) {
  std::string name = wanted;
  for (int n = 2; plan.names.contains(name); ++n) name = fmt::format("{}_{}", wanted, n);
  return name;
}

}  // namespace

void addSequence(const SequenceFiles& sequence, const SequenceSettings& settings, const std::string& where,
                 Plan& plan) {
  if (!(sequence.framesPerSecond >= 0) || !std::isfinite(sequence.framesPerSecond)) {
    throw Error(ErrorCode::BadInput,
                fmt::format("{} frames per second are not possible; give a number above 0", sequence.framesPerSecond),
                where);
  }
  FoundClip clip;
  try {
    clip = findClip(sequence.clip, plan.character, plan.rules, plan.notes);
  } catch (const Error& error) {
    throw error.in(where);
  }
  const std::shared_ptr<ShapeList> shapes = openShapes(sequence.meshes, plan.rules, plan.notes);
  if (plan.entries.size() + shapes->size() > kMostFrames) {
    throw Error(
        ErrorCode::BadInput,
        fmt::format("has {} frames, with the other examples more than {}; give fewer", shapes->size(), kMostFrames),
        sequence.meshes.string());
  }
  const std::vector<double> times =
      frameTimes(clip, *shapes, sequence.meshes, sequence.framesPerSecond, plan.notes, plan.warnings);
  const std::shared_ptr<SculptMatcher> matcher = matcherOf(sequence, plan);
  if (plan.outline.rest.cols() == 0) plan.outline.rest = matcher->rest();
  for (std::size_t f = 0; f < times.size(); ++f) {
    Example example{.name = freeName(frameName(*shapes, f, settings.name), plan),
                    .pose = restPose(plan.character),
                    .points = Points(3, 0),
                    .mask = {},
                    .confidence = settings.confidence};
    sampleClip(clip.clip, times[f], example.pose);
    plan.add(std::move(example), {shapes, f, matcher, settings.mask}, where);
  }
  plan.frames += times.size();
  plan.notes.push_back(fmt::format("{}: {} at {:.4g} s to {:.4g} s of clip {}", sequence.meshes.filename().string(),
                                   counted(times.size(), "frame", "frames"), times.front(), times.back(), clip.shown));
}

}  // namespace sinew::examples
