// sinew drag: direct manipulation of weights.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "operators.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/io/poses.h"
#include "sinew/manipulate/drag_weights.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const Vec3& point) {
  return {point.x(), point.y(), point.z()};
}

/// Numbers separated by commas, exactly `count` of them.
std::vector<double> numbers(const std::string& flag, const std::string& text, std::size_t count) {
  std::vector<double> found;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (found.size() < count) {
    double value = 0;
    const auto [after, fault] = std::from_chars(at, end, value);
    if (fault != std::errc()) break;
    found.push_back(value);
    at = after;
    if (found.size() == count || at == end || *at != ',') break;
    ++at;
  }
  if (found.size() != count || at != end) {
    throw UsageError(count == 3 ? fmt::format("{} {} is not a position; write X,Y,Z", flag, text)
                                : fmt::format("{} {} is not a number", flag, text));
  }
  return found;
}

Vec3 place(const std::string& flag, const std::string& text) {
  const std::vector<double> values = numbers(flag, text, 3);
  return {values[0], values[1], values[2]};
}

class DragCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("CHARACTER", character_, "the character's file");
    arguments.required("--pose", "POSE", pose_, "the pose to drag in: a pose file, CLIP@SECONDS, or rest");
    arguments.option("--vertex", "V", vertexWords_, "a vertex to drag; repeats");
    arguments.option("--target", "X,Y,Z", targetWords_, "target position in world space; one for each --vertex");
    arguments.option("--move", "X,Y,Z", move_, "offset of all vertices, instead of targets");
    arguments.option("--scale", "F", scale_, "scale the vertices about their centroid, instead of targets");
    arguments.option("--also", "POSE", also_, "poses in which the vertices should stay in place (--alpha)");
    arguments.output(
        output_, "the character with the new weights (.glb, .gltf), or its posed mesh; without it nothing is written",
        false);
    arguments.fields(options_);
    arguments.option("--lock", "JOINT", locks_, "joints whose weights must not change");
    arguments.option("--add", "JOINT", added_, "additional joints that may influence the vertices");
    arguments.option("--joint", "JOINT", joints_, "only these joints may influence the vertices");
  }

  int run(Console& console) override {
    readWords();
    if (!output_.empty()) checkWritable(output_);
    CharacterFile file = readCharacter(character_, console.reading(0, 0.5));
    Character& character = file.character;
    readJoints(character.skeleton);
    DragStart start{
        .vertices = vertices_, .pose = poseOf(pose_, character, character_, console), .playback = file.playback()};
    for (const std::string& pose : also_) start.also.push_back(poseOf(pose, character, character_, console));
    if (options_.alpha > 0 && also_.empty()) console.note("--alpha does nothing without --also POSE");

    DragSession session = dragged(character, start);
    const LostList lost = write(file, session, start.pose, console);
    const int code = session.converged()
                         ? Done
                         : console.missed("some weights did not converge; the output is the best result found");
    answer(character, session, lost, console);
    return code;
  }

 private:
  void readWords() {
    if (vertexWords_.empty()) throw UsageError("no vertex is given; add --vertex V and --target X,Y,Z");
    for (const std::string& word : vertexWords_) {
      Index vertex = 0;
      const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), vertex);
      if (fault != std::errc() || end != word.data() + word.size())
        throw UsageError(fmt::format("--vertex {} is not a vertex number; write a whole number", word));
      vertices_.push_back(vertex);
    }
    const int ways = (targetWords_.empty() ? 0 : 1) + (move_.empty() ? 0 : 1) + (scale_.empty() ? 0 : 1);
    if (ways != 1) throw UsageError("give a --target X,Y,Z for each --vertex, or one --move X,Y,Z, or one --scale F");
    if (!targetWords_.empty() && targetWords_.size() != vertices_.size()) {
      throw UsageError(fmt::format("{} and {} do not pair up; give one target for each vertex",
                                   counted(vertices_.size(), "vertex", "vertices"),
                                   counted(targetWords_.size(), "target", "targets")));
    }
    for (const std::string& word : targetWords_) targets_.push_back(place("--target", word));
    if (!move_.empty()) way_ = place("--move", move_);
    if (!scale_.empty()) factor_ = numbers("--scale", scale_, 1)[0];
    if (options_.negative && !output_.empty())
      throw UsageError("files cannot hold negative weights; use --negative without -o");
  }

  void readJoints(const Skeleton& skeleton) {
    for (const std::string& name : locks_) options_.locked.push_back(skeleton.index(name));
    for (const std::string& name : added_) options_.added.push_back(skeleton.index(name));
    for (const std::string& name : joints_) options_.joints.push_back(skeleton.index(name));
  }

  [[nodiscard]] DragSession dragged(const Character& character, const DragStart& start) const {
    try {
      DragSession session(character, start, options_);
      if (!move_.empty()) {
        session.move(way_);
      } else if (!scale_.empty()) {
        session.scale(factor_);
      } else {
        Points targets(3, static_cast<Index>(targets_.size()));
        for (std::size_t k = 0; k < targets_.size(); ++k) targets.col(static_cast<Index>(k)) = targets_[k];
        session.drag(targets);
      }
      return session;
    } catch (const Error& error) {
      std::string message = error.message();
      const Index own = character.mesh.vertexCount();
      if (std::any_of(vertices_.begin(), vertices_.end(), [&](Index vertex) { return vertex >= own; })) {
        for (const std::string& places : furtherPlaces(character.mesh, "dragged, and the others move with it"))
          message += "; " + places;
      }
      throw Error(error.code(), message, character_);
    }
  }

  /// The whole character, or its posed mesh alone.
  [[nodiscard]] LostList write(const CharacterFile& file, const DragSession& session, const Pose& pose,
                               const Console& console) const {
    if (output_.empty()) return {};
    CharacterFile changed = file;
    changed.character.skin.weights = session.finish();
    if (changed.poseSpace)
      console.note("its corrections were learned on the old weights; learn them again if the skin has changed much");
    LostList lost;
    if (isGltf(output_)) {
      lost = writeCharacter(output_, changed, console.writing());
    } else {
      CharacterFile mesh;
      mesh.character.name = changed.character.name;
      mesh.character.mesh = PlacedPoser(changed.character, instancesOf(changed), changed.playback()).mesh(pose);
      WriteOptions writing = console.writing();
      writing.includeUnskinned = false;
      lost = writeCharacter(output_, mesh, writing);
    }
    for (const std::string& sentence : lost) console.note(sentence);
    return lost;
  }

  /// Names of joints are not always unique in a file.
  [[nodiscard]] static std::string jointName(const Character& character, int joint) {
    const std::string& name = character.skeleton[joint].name;
    return character.skeleton.find(name) == joint ? name : fmt::format("{}#{}", name, joint);
  }

  [[nodiscard]] static Json weightsOf(const Character& character, std::span<const Influence> column) {
    Json weights = Json::object();
    for (const Influence& influence : column)
      weights[jointName(character, character.skin.bindings[influence.binding].joint)] = influence.weight;
    return weights;
  }

  [[nodiscard]] static Json hullOf(const Character& character, const ReachableSet& set) {
    Json corners = Json::array();
    Json joints = Json::array();
    for (Index i = 0; i < set.corners.cols(); ++i) corners.push_back(jsonOf(set.corners.col(i)));
    for (const int joint : set.joints) joints.push_back(jointName(character, joint));
    return {{"dimension", set.hull.dimension}, {"vertices", corners},      {"joints", joints},
            {"faces", set.hull.triangles},     {"edges", set.hull.edges},  {"diameter", set.hull.diameter},
            {"area", set.hull.area},           {"volume", set.hull.volume}};
  }

  [[nodiscard]] Json vertexBlock(const Character& character, const DragSession& session, std::size_t k) const {
    const DraggedVertex& vertex = session.vertices()[k];
    Json block{{"vertex", vertex.vertex},
               {"reached", jsonOf(vertex.reached)},
               {"distance", vertex.distance},
               {"reachable", vertex.reachable},
               {"weights", weightsOf(character, session.weights(k))},
               {"start", jsonOf(vertex.start)},
               {"target", jsonOf(vertex.target)},
               {"share", vertex.share},
               {"seam", std::vector<std::uint32_t>(session.seam(k).begin(), session.seam(k).end())}};
    Json others = Json::array();
    for (std::size_t p = 0; p < also_.size(); ++p)
      others.push_back({{"pose", also_[p]}, {"moved", session.movedIn(k, p)}});
    if (!also_.empty()) block["also"] = others;
    if (k >= vertices_.size()) return block;
    if (const std::optional<JointSuggestion> suggestion = session.suggestion(k)) {
      block["suggestion"] = {{"joint", jointName(character, suggestion->joint)}, {"distance", suggestion->distance}};
    }
    block["hull"] = hullOf(character, session.reachable(k));
    return block;
  }

  [[nodiscard]] std::string line(const Character& character, const DragSession& session, std::size_t k) const {
    const DraggedVertex& vertex = session.vertices()[k];
    std::string text = fmt::format("  vertex {}: {:.6g}, {:.6g}, {:.6g}", vertex.vertex, vertex.reached.x(),
                                   vertex.reached.y(), vertex.reached.z());
    text += vertex.reachable && vertex.distance < 1e-9 ? ", reached" : fmt::format(", {:.4g} off", vertex.distance);
    for (const Influence& influence : session.weights(k)) {
      text += fmt::format("; {} {:.4f}", jointName(character, character.skin.bindings[influence.binding].joint),
                          influence.weight);
    }
    if (const std::optional<JointSuggestion> suggestion = session.suggestion(k)) {
      text += fmt::format("; with --add {} it would be {:.4g} off", jointName(character, suggestion->joint),
                          suggestion->distance);
    }
    return text + "\n";
  }

  /// File vertices whose weights are new, but for rounding.
  [[nodiscard]] static std::size_t changedVertices(const Character& character, const DragSession& session) {
    std::size_t changed = 0;
    for (std::size_t k = 0; k < session.vertices().size(); ++k) {
      const Index vertex = session.vertices()[k].vertex;
      double difference = 0;
      for (const Influence& influence : session.weights(k))
        difference += std::abs(influence.weight - character.skin.weights.weight(vertex, influence.binding));
      if (difference > 1e-9) changed += session.seam(k).size();
    }
    return changed;
  }

  void answer(const Character& character, const DragSession& session, const LostList& lost,
              const Console& console) const {
    Json blocks = Json::array();
    for (std::size_t k = 0; k < session.vertices().size(); ++k) blocks.push_back(vertexBlock(character, session, k));
    const std::size_t changed = changedVertices(character, session);
    std::string text = fmt::format("{}: new weights for {}\n", output_.empty() ? character_ : output_,
                                   counted(changed, "vertex", "vertices"));
    for (std::size_t k = 0; k < vertices_.size(); ++k) text += line(character, session, k);
    console.result(text, {{"vertices", blocks},
                          {"changed", changed},
                          {"followers", session.vertices().size() - vertices_.size()},
                          {"secondStage", nameOf(options_.secondStage)},
                          {"alpha", options_.alpha},
                          {"converged", session.converged()},
                          {"output", output_},
                          {"lost", lost}});
  }

  std::string character_;
  std::string pose_;
  std::string output_;
  std::string move_;
  std::string scale_;
  std::vector<std::string> vertexWords_;
  std::vector<std::string> targetWords_;
  std::vector<std::string> also_;
  std::vector<std::string> locks_;
  std::vector<std::string> added_;
  std::vector<std::string> joints_;
  DragOptions options_;
  std::vector<Index> vertices_;
  std::vector<Vec3> targets_;
  Vec3 way_ = Vec3::Zero();
  double factor_ = 1;
};

}  // namespace

std::unique_ptr<Command> makeDragCommand() {
  return std::make_unique<DragCommand>();
}

}  // namespace sinew::cli
