#include "studio/modes/export/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sinew/base/error.h"
#include "sinew/deform/placed_mesh.h"

namespace sinew::studio::exporting {
namespace {

/// Points of all compared poses together, at most; a few poses are always compared.
constexpr double kMostPoints = 4e6;
constexpr double kLeastMoments = 16;

/// By number where the names agree, else by a name that only one has.
std::vector<int> joinedByName(const std::vector<std::string>& mine, const std::vector<std::string>& theirs) {
  std::map<std::string, int> places;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const auto [place, fresh] = places.emplace(theirs[i], static_cast<int>(i));
    if (!fresh) place->second = -1;
  }
  std::vector<int> joined;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto found = places.find(mine[i]);
    joined.push_back(i < theirs.size() && theirs[i] == mine[i] ? static_cast<int>(i)
                     : found == places.end()                   ? -1
                                                               : found->second);
  }
  return joined;
}

std::vector<std::string> jointNames(const Character& character) {
  std::vector<std::string> names;
  for (int j = 0; j < character.skeleton.size(); ++j) names.push_back(character.skeleton[j].name);
  return names;
}

std::vector<std::string> morphNames(const Character& character, const PoseSpaceMorphs& learned) {
  std::vector<std::string> names;
  for (std::size_t m = 0; m < character.morphs.size(); ++m) {
    const bool isLearned =
        std::find(learned.morphs.begin(), learned.morphs.end(), static_cast<int>(m)) != learned.morphs.end();
    // Learned ones get their weights from the pose. Several meshes may have targets of one name.
    names.push_back(isLearned ? fmt::format("\n{}", m)
                              : fmt::format("{} {}", character.morphs[m].mesh, character.morphs[m].name));
  }
  return names;
}

/// The times of all keys of a clip, rounded as files store them.
std::set<double> keyTimes(const Clip& clip) {
  std::set<double> times;
  for (const ClipChannel& channel : clip.channels) times.insert(channel.times.begin(), channel.times.end());
  return times;
}

std::string nameOf(const Clip& clip, std::size_t index, double time) {
  return fmt::format("{} at {:.2f} s", clip.name.empty() ? fmt::format("clip {}", index) : clip.name, time);
}

/// Poses are visited once per second, from 1 s on; 0 s is the rest pose.
bool isVisit(double time, std::size_t count) {
  return std::abs(time - std::round(time)) < 1e-6 && std::llround(time) <= static_cast<long long>(count);
}

/// The sources of the clips that were written: clips without an effect are dropped.
std::vector<ClipSource> writtenClips(const std::vector<ClipSource>& sources, const std::vector<Clip>& written) {
  std::vector<ClipSource> kept;
  std::size_t next = 0;
  for (const Clip& clip : written) {
    while (next < sources.size() && sources[next].name != clip.name) ++next;
    if (next == sources.size())
      throw Error(ErrorCode::Internal, fmt::format("the file has a clip '{}' that was not written", clip.name));
    kept.push_back(sources[next++]);
  }
  return kept;
}

void thin(std::vector<Moment>& moments, Index vertices) {
  const auto most = static_cast<std::size_t>(
      std::max(kLeastMoments, kMostPoints / static_cast<double>(std::max<Index>(1, vertices))));
  if (moments.size() <= most) return;
  std::vector<Moment> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(std::move(moments[i * moments.size() / most]));
  moments = std::move(kept);
}

}  // namespace

ReRead::ReRead(const CharacterFile& document, CharacterFile file, const Prepared& prepared)
    : file_(std::move(file)),
      plain_(file_.character),
      animated_(prepared.animated && plain_.hasSkin()),
      clips_(writtenClips(prepared.clips, plain_.clips)) {
  plain_.helpers.clear();
  const Character& mine = document.character;
  joints_ = joinedByName(jointNames(plain_), jointNames(mine));
  morphs_ = joinedByName(morphNames(plain_, file_.poseSpaceMorphs), morphNames(mine, document.poseSpaceMorphs));
  if (file_.poseSpace && !file_.poseSpaceMorphs.empty())
    weights_ = std::make_shared<PoseSpaceMorphWeights>(*file_.poseSpace, file_.poseSpaceMorphs);
  if (plain_.mesh.vertexCount() == mine.mesh.vertexCount() && plain_.hasSkin() == mine.hasSkin()) return;
  const auto columns = writtenColumns(mine, plain_.mesh.vertexCount());
  if (!columns) {
    throw Error(ErrorCode::BadInput, fmt::format("the file has {} vertices, the document {}; they cannot be compared",
                                                 plain_.mesh.vertexCount(), mine.mesh.vertexCount()));
  }
  columns_ = *columns;
}

Points ReRead::inOrder(const Points& points, const Points& otherwise) const {
  return columns_.empty() ? points : fromWritten(columns_, points, otherwise);
}

Pose ReRead::poseAt(std::size_t clip, double time) const {
  Pose pose = restPose(plain_);
  sampleClip(plain_.clips.at(clip), time, pose);
  return pose;
}

Pose ReRead::transferred(const Character& document, const Pose& pose) const {
  Pose made = restPose(plain_);
  if (!animated_ || !document.hasSkin()) return made;
  PosedJoints posed;
  poseJoints(document, pose, posed);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (joints_[j] >= 0) made.local[j] = posed.pose.local[toSize(joints_[j])];
  }
  for (std::size_t m = 0; m < morphs_.size(); ++m) {
    if (morphs_[m] >= 0) made.morphWeights[m] = pose.morphWeights[toSize(morphs_[m])];
  }
  if (weights_) weights_->apply(plain_.skeleton, made);
  return made;
}

Pose ReRead::poseOf(const Character& document, const Moment& moment) const {
  return moment.clip < 0 ? transferred(document, moment.pose) : poseAt(toSize(moment.clip), moment.time);
}

Pose documentPose(const CharacterFile& document, const ClipSource& source, const std::vector<Pose>& examples,
                  double time) {
  Pose pose = restPose(document.character);
  if (source.kind == ClipSource::Kind::Document) {
    sampleClip(document.character.clips.at(source.clip), time, pose);
    return pose;
  }
  const auto visit = static_cast<std::size_t>(std::max(0ll, std::llround(time)));
  if (visit == 0) return pose;
  if (source.kind == ClipSource::Kind::Poses)
    return document.poses.empty() ? pose : document.poses[std::min(visit, document.poses.size()) - 1].pose;
  return examples.empty() ? pose : examples[std::min(visit, examples.size()) - 1];
}

std::vector<Moment> momentsOf(const CharacterFile& document, const Prepared& prepared, const Pose& shown,
                              const ReRead& read) {
  std::vector<Moment> moments;
  const Pose rest = restPose(document.character);
  if (!read.animated()) return {{.name = "rest", .pose = rest}};
  bool posesInClip = false;
  const std::vector<Clip>& clips = read.character().clips;
  for (std::size_t c = 0; c < clips.size(); ++c) {
    const ClipSource& source = read.clips().at(c);
    const bool visits = source.kind != ClipSource::Kind::Document;
    const std::size_t count = source.kind == ClipSource::Kind::Poses ? document.poses.size() : prepared.examples.size();
    posesInClip = posesInClip || source.kind == ClipSource::Kind::Poses;
    for (const double time : keyTimes(clips[c])) {
      if (visits && !isVisit(time, count)) continue;
      moments.push_back({.name = nameOf(clips[c], c, time),
                         .pose = documentPose(document, source, prepared.examples, time),
                         .clip = static_cast<int>(c),
                         .time = time});
    }
  }
  if (!posesInClip) {
    for (const SavedPose& saved : document.poses) moments.push_back({.name = saved.name, .pose = saved.pose});
  }
  thin(moments, document.character.mesh.vertexCount());
  moments.push_back({.name = "rest", .pose = rest});
  moments.push_back({.name = "the shown pose", .pose = shown});
  return moments;
}

wire::ExportDeviation deviationOf(const CharacterFile& document, const ReRead& read, const std::vector<Moment>& moments,
                                  const sinew::Progress& progress) {
  CharacterPoser truth(document.character, document.playback());
  CharacterPoser plain(read.character());
  const Points rest = truth.pose(restPose(document.character));
  SequenceErrors errors(rest.cols(), moments.size(), boundingBox(rest).diagonal());
  for (std::size_t m = 0; m < moments.size(); ++m) {
    report(progress, {static_cast<double>(m) / static_cast<double>(moments.size()), "comparing"});
    const Points& wanted = truth.pose(moments[m].pose);
    errors.add(wanted, read.inOrder(plain.pose(read.poseOf(document.character, moments[m])), wanted));
  }
  const SequenceError error = errors.result();
  const Index vertices = std::max<Index>(1, rest.cols());
  return {.max = error.total.max,
          .rms = error.total.rms,
          .vertex = static_cast<std::int32_t>(error.total.maxVertex < 0 ? -1 : error.total.maxVertex % vertices),
          .pose = error.maxFrame < 0 ? std::string() : moments[toSize(error.maxFrame)].name,
          .poses = static_cast<std::uint32_t>(moments.size())};
}

Comparison comparedWith(const std::filesystem::path& path, const FileRules& rules, const CharacterFile& document,
                        const Prepared& prepared, const Pose& shown, const sinew::Progress& progress) {
  try {
    auto read = std::make_shared<const ReRead>(document, readCharacter(path, {.rules = rules}), prepared);
    const std::vector<Moment> moments = momentsOf(document, prepared, shown, *read);
    wire::ExportDeviation deviation = deviationOf(document, *read, moments, progress);
    return {.read = std::move(read), .deviation = std::move(deviation), .fault = {}};
  } catch (const Error& error) {
    return {.read = nullptr, .deviation = {}, .fault = error.what()};
  } catch (const std::bad_alloc&) {
    return {.read = nullptr, .deviation = {}, .fault = "there is not enough memory for this"};
  }
}

std::vector<LimitCost> limitCosts(const CharacterFile& document, const std::vector<Moment>& moments,
                                  const sinew::Progress& progress) {
  std::vector<LimitCost> costs(1);
  CharacterPoser truth(document.character, document.playback());
  for (const int most : {8, 4}) {
    LimitCost cost{.most = most, .vertices = {}, .distances = {}};
    const SkinWeights& weights = document.character.skin.weights;
    for (Index v = 0; v < weights.vertexCount(); ++v) {
      if (weights[v].size() > toSize(most)) cost.vertices.push_back(static_cast<std::uint32_t>(v));
    }
    cost.distances.assign(cost.vertices.size(), 0);
    if (!cost.vertices.empty()) {
      CharacterFile limited = document;
      limited.character.skin.weights = weights.limited(most);
      CharacterPoser poser(limited.character, limited.playback());
      double squares = 0;
      for (std::size_t m = 0; m < moments.size(); ++m) {
        report(progress, {static_cast<double>(m) / static_cast<double>(moments.size()), "influences"});
        const Points& wanted = truth.pose(moments[m].pose);
        const Points& reached = poser.pose(moments[m].pose);
        for (std::size_t i = 0; i < cost.vertices.size(); ++i) {
          const auto v = static_cast<Index>(cost.vertices[i]);
          const double distance = (wanted.col(v) - reached.col(v)).norm();
          squares += distance * distance;
          cost.distances[i] = std::max(cost.distances[i], static_cast<float>(distance));
        }
      }
      cost.rms =
          std::sqrt(squares / static_cast<double>(cost.vertices.size() * std::max<std::size_t>(1, moments.size())));
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

}  // namespace sinew::studio::exporting
