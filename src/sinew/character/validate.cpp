#include "sinew/character/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sinew/base/error.h"
#include "sinew/character/weld.h"

namespace sinew {
namespace {

/// "1 face is" / "3 faces are".
std::string counted(std::size_t count, std::string_view one, std::string_view many, std::string_view verb = {},
                    std::string_view verbs = {}) {
  std::string text = fmt::format("{} {}", count, count == 1 ? one : many);
  const std::string_view does = count == 1 ? verb : verbs;
  return does.empty() ? text : fmt::format("{} {}", text, does);
}

std::string jointLabel(const Skeleton& skeleton, int joint) {
  return skeleton[joint].name.empty() ? fmt::format("number {}", joint) : fmt::format("'{}'", skeleton[joint].name);
}

/// Counts a kind of fault and remembers where it was seen first.
struct Tally {
  std::size_t count = 0;
  std::size_t first = 0;
  void add(std::size_t where) {
    if (count++ == 0) first = where;
  }
};

class Inspector {
 public:
  explicit Inspector(const Character& character) : character_(character) {}

  std::vector<Problem> run() {
    try {
      checkCharacter(character_, "");
    } catch (const Error& fault) {
      // Indices cannot be trusted from here on.
      add(Severity::Fault, fault.message());
      return std::move(problems_);
    }
    lookAtFaces();
    lookAtEdges();
    lookAtVertices();
    lookAtJoints();
    lookAtSkin();
    lookAtClips();
    return std::move(problems_);
  }

 private:
  void add(Severity severity, std::string sentence) { problems_.push_back({severity, std::move(sentence)}); }

  void lookAtFaces() {
    const Mesh& mesh = character_.mesh;
    const double least = 1e-14 * std::pow(boundingBox(mesh.points).diagonal(), 2);
    Tally degenerate;
    std::vector<std::pair<std::uint64_t, std::size_t>> hashed;  // of the faces' corners, to find copies by sorting
    hashed.reserve(mesh.faces.size());
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
      const std::vector<std::uint32_t> corners = sortedCorners(f);
      const bool twice = std::adjacent_find(corners.begin(), corners.end()) != corners.end();
      if (twice || polygonArea(mesh.faces[f]) <= least) {
        degenerate.add(f);
        continue;
      }
      std::uint64_t hash = corners.size();
      for (const std::uint32_t corner : corners) hash = (hash ^ corner) * 0x9E3779B97F4A7C15ull + (hash >> 31);
      hashed.emplace_back(hash, f);
    }
    if (degenerate.count > 0) {
      add(Severity::Warning,
          fmt::format(
              "{} no area or a repeated vertex (the first is face {}); delete these faces in the modelling tool",
              counted(degenerate.count, "face", "faces", "has", "have"), degenerate.first));
    }
    std::sort(hashed.begin(), hashed.end());
    std::vector<std::size_t> copies;
    for (std::size_t i = 1; i < hashed.size(); ++i) {
      if (hashed[i].first == hashed[i - 1].first &&
          sortedCorners(hashed[i].second) == sortedCorners(hashed[i - 1].second)) {
        copies.push_back(hashed[i].second);
      }
    }
    if (copies.empty()) return;
    add(Severity::Warning, fmt::format("{} the vertices of an earlier one (the first is face {}); delete the copies",
                                       counted(copies.size(), "face", "faces", "repeats", "repeat"),
                                       *std::min_element(copies.begin(), copies.end())));
  }

  [[nodiscard]] std::vector<std::uint32_t> sortedCorners(std::size_t face) const {
    const auto corners = character_.mesh.faces[face];
    std::vector<std::uint32_t> sorted(corners.begin(), corners.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  [[nodiscard]] double polygonArea(std::span<const std::uint32_t> face) const {
    const Points& points = character_.mesh.points;
    Vec3 area = Vec3::Zero();
    for (std::size_t i = 2; i < face.size(); ++i) {
      const Vec3 a = points.col(face[i - 1]) - points.col(face[0]);
      area += 0.5 * a.cross(Vec3(points.col(face[i]) - points.col(face[0])));
    }
    return area.norm();
  }

  /// Edges between welded points, so that seams do not look like borders.
  void lookAtEdges() {
    const Mesh& mesh = character_.mesh;
    const WeldMap map = weldCharacter(character_, mesh.points);
    std::vector<std::uint64_t> edges;
    edges.reserve(mesh.faces.corner.size());
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
      const auto face = mesh.faces[f];
      for (std::size_t i = 0; i < face.size(); ++i) {
        const std::uint64_t a = map.pointOfVertex[face[i]];
        const std::uint64_t b = map.pointOfVertex[face[(i + 1) % face.size()]];
        if (a != b) edges.push_back(std::min(a, b) << 32 | std::max(a, b));
      }
    }
    std::sort(edges.begin(), edges.end());
    std::size_t crowded = 0;
    std::uint64_t first = 0;
    for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
      while (end < edges.size() && edges[end] == edges[begin]) ++end;
      if (end - begin > 2 && crowded++ == 0) first = edges[begin];
    }
    if (crowded == 0) return;
    add(Severity::Warning,
        fmt::format(
            "{} more than two faces (the first runs from vertex {} to {}); surface methods treat them as joined",
            counted(crowded, "edge", "edges", "has", "have"), map.firstVertex[first >> 32],
            map.firstVertex[first & 0xFFFFFFFFu]));
  }

  void lookAtVertices() {
    const Mesh& mesh = character_.mesh;
    if (mesh.faces.size() == 0) {
      if (mesh.vertexCount() > 0) add(Severity::Note, "the mesh has vertices but no faces");
      return;
    }
    std::vector<bool> used(toSize(mesh.vertexCount()), false);
    for (const std::uint32_t vertex : mesh.faces.corner) used[vertex] = true;
    Tally unused;
    for (std::size_t v = 0; v < used.size(); ++v) {
      if (!used[v]) unused.add(v);
    }
    if (unused.count == 0) return;
    add(Severity::Note,
        fmt::format("{} to no face (the first is vertex {}); they are kept, so that vertex numbers do not change",
                    counted(unused.count, "vertex", "vertices", "belongs", "belong"), unused.first));
  }

  void lookAtJoints() {
    const Skeleton& skeleton = character_.skeleton;
    std::map<std::string, int> firstOf;
    Tally repeated;
    Tally nameless;
    Tally turned;
    for (int j = 0; j < skeleton.size(); ++j) {
      const auto number = toSize(j);
      if (skeleton[j].name.empty()) {
        nameless.add(number);
      } else if (!firstOf.emplace(skeleton[j].name, j).second) {
        repeated.add(number);
      }
      if (!(std::abs(skeleton[j].rest.rotation.norm() - 1) <= 1e-4)) turned.add(number);
    }
    if (repeated.count > 0) {
      const auto& name = skeleton[static_cast<int>(repeated.first)].name;
      add(Severity::Warning, fmt::format("{} the name of an earlier one (the first is joint {}, '{}', as joint {}); "
                                         "poses find only the first of a name, so rename the others",
                                         counted(repeated.count, "joint", "joints", "has", "have"), repeated.first,
                                         name, firstOf.at(name)));
    }
    if (nameless.count > 0) {
      add(Severity::Note, fmt::format("{} no name (the first is joint {}); poses cannot refer to them by name",
                                      counted(nameless.count, "joint", "joints", "has", "have"), nameless.first));
    }
    if (turned.count > 0) {
      add(Severity::Warning,
          fmt::format("{} a rest rotation that is not a unit quaternion (the first is {}); normalise it",
                      counted(turned.count, "joint", "joints", "has", "have"),
                      jointLabel(skeleton, static_cast<int>(turned.first))));
    }
  }

  void lookAtSkin() {
    const Skin& skin = character_.skin;
    std::vector<bool> moves(skin.bindings.size(), false);
    Tally crowded;
    for (Index v = 0; v < skin.weights.vertexCount(); ++v) {
      for (const Influence& influence : skin.weights[v]) moves[influence.binding] = true;
      if (skin.weights[v].size() > 8) crowded.add(toSize(v));
    }
    std::set<int> movingSkins;
    for (std::size_t b = 0; b < skin.bindings.size(); ++b) {
      if (moves[b]) movingSkins.insert(skin.bindings[b].skin);
    }
    Tally idle;
    Tally singular;
    for (std::size_t b = 0; b < skin.bindings.size(); ++b) {
      // A skin without any vertex belongs to a further instance of a mesh.
      const int own = skin.bindings[b].skin;
      if (!moves[b] && (own < 0 || movingSkins.count(own) > 0)) idle.add(b);
      const Mat3 linear = skin.bindings[b].jointFromRest.linear();
      const double size = linear.norm();
      if (!(std::abs(linear.determinant()) > 1e-12 * size * size * size)) singular.add(b);
    }
    const auto label = [&](const Tally& tally) {
      return jointLabel(character_.skeleton, skin.bindings[tally.first].joint);
    };
    if (singular.count > 0) {
      add(Severity::Fault,
          fmt::format("{} a bind matrix that cannot be inverted (the first is {}); bind the skin again",
                      counted(singular.count, "joint", "joints", "has", "have"), label(singular)));
    }
    if (idle.count > 0 && character_.hasSkin()) {
      add(Severity::Note, fmt::format("{} no vertex of the skin (the first is {})",
                                      counted(idle.count, "joint", "joints", "moves", "move"), label(idle)));
    }
    if (crowded.count > 0) {
      add(Severity::Warning,
          fmt::format("{} moved by more than 8 joints (the first is vertex {}); engines read 4 or 8, so limit them",
                      counted(crowded.count, "vertex", "vertices", "is", "are"), crowded.first));
    }
  }

  void lookAtClips() {
    for (std::size_t c = 0; c < character_.clips.size(); ++c) {
      const Clip& clip = character_.clips[c];
      const std::string name = clip.name.empty() ? fmt::format("{}", c) : clip.name;
      Tally empty;
      Tally turned;
      Tally backwards;
      for (std::size_t i = 0; i < clip.channels.size(); ++i) {
        const ClipChannel& channel = clip.channels[i];
        if (channel.times.empty()) empty.add(i);
        if (!std::is_sorted(channel.times.begin(), channel.times.end())) backwards.add(i);
        if (hasUnevenRotation(channel)) turned.add(i);
      }
      if (clip.channels.empty() || empty.count == clip.channels.size()) {
        add(Severity::Warning, fmt::format("clip '{}' has no keys", name));
      } else if (empty.count > 0) {
        add(Severity::Warning, fmt::format("clip '{}': {} no keys (the first is channel {})", name,
                                           counted(empty.count, "channel", "channels", "has", "have"), empty.first));
      }
      if (backwards.count > 0) {
        add(Severity::Fault,
            fmt::format("clip '{}': {} keys whose times do not ascend (the first is channel {}); sort them", name,
                        counted(backwards.count, "channel", "channels", "has", "have"), backwards.first));
      }
      if (turned.count > 0) {
        add(Severity::Warning,
            fmt::format("clip '{}': {} rotations that are not unit quaternions (the first is channel {}); they are "
                        "normalised when played",
                        name, counted(turned.count, "channel", "channels", "has", "have"), turned.first));
      }
    }
  }

  static bool hasUnevenRotation(const ClipChannel& channel) {
    if (channel.path != ClipPath::Rotation) return false;
    const Index step = channel.interpolation == Interpolation::CubicSpline ? 3 : 1;
    for (Index col = step / 2; col < channel.values.cols(); col += step) {
      if (!(std::abs(channel.values.col(col).norm() - 1) <= 1e-3)) return true;
    }
    return false;
  }

  const Character& character_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> findProblems(const Character& character) {
  return Inspector(character).run();
}

}  // namespace sinew
