#include "sinew/io/text/text_formats.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include "sinew/base/error.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/gltf.h"

namespace sinew::text {
namespace {

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

/// A backslash that only blanks separate from the line break.
bool isContinuation(const char* position, const char* end) {
  if (*position != '\\') return false;
  for (++position; position < end; ++position) {
    if (*position == '\n' || *position == '\r') return true;
    if (!isBlank(*position)) return false;
  }
  return false;
}

}  // namespace

std::string_view TextTokens::next() {
  while (next_ < end_ && (isBlank(*next_) || isContinuation(next_, end_))) ++next_;
  if (next_ == end_ || *next_ == '#') {
    next_ = end_;
    return {};
  }
  const char* begin = next_;
  while (next_ < end_ && !isBlank(*next_) && !isContinuation(next_, end_)) ++next_;
  return {begin, next_};
}

std::string_view TextTokens::restOfLine() {
  while (next_ < end_ && isBlank(*next_)) ++next_;
  const char* last = end_;
  while (last > next_ && isBlank(last[-1])) --last;
  const std::string_view rest(next_, last);
  next_ = end_;
  return rest;
}

bool endsInBackslash(std::string_view line) {
  while (!line.empty() && isBlank(line.back())) line.remove_suffix(1);
  return line.ends_with('\\');
}

std::optional<double> parseDouble(std::string_view token) {
  if (token.starts_with('+')) {
    token.remove_prefix(1);
    if (token.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const auto [end, fault] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size() || token.empty()) return std::nullopt;
  if (fault == std::errc()) return value;
  if (fault != std::errc::result_out_of_range) return std::nullopt;
  // Underflow is 0, overflow is infinite: decided by the exponent's sign, or the digits before the point.
  const std::size_t exponent = token.find_first_of("eE");
  const std::string_view digits = token.substr(0, std::min(exponent, token.find('.')));
  const bool small = exponent != std::string_view::npos ? token.substr(exponent + 1).starts_with('-')
                                                        : digits.find_first_of("123456789") == std::string_view::npos;
  return small ? 0 : std::numeric_limits<double>::infinity();
}

std::optional<std::int64_t> parseInteger(std::string_view token) {
  if (token.starts_with('+')) {
    token.remove_prefix(1);
    if (token.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size() || token.empty()) return std::nullopt;
  if (fault == std::errc()) return value;
  if (fault != std::errc::result_out_of_range) return std::nullopt;
  // One less than the lowest, so that it can be negated.
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return token.starts_with('-') ? -kMost : kMost;
}

void appendVec3(std::string& text, const Vec3& value) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{} {} {}"), value.x(), value.y(), value.z());
}

std::string printable(std::string_view token) {
  constexpr std::size_t kMost = 40;
  std::string shown(token.substr(0, kMost));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (token.size() > kMost) shown += "...";
  return shown;
}

std::string noFaces(Index vertices) {
  return fmt::format("has {} vertices but no faces: it is truncated or contains only points; export the mesh again",
                     vertices);
}

void checkIsText(std::string_view text, const std::string& where) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::Unreadable, "is larger than 4 GB; split it or use .glb", where);
  }
  if (text.find('\0') != std::string_view::npos) {
    throw Error(ErrorCode::Unreadable, "is not a text file; check that its extension matches its format", where);
  }
}

Mesh meshToWrite(const CharacterFile& file, const WriteOptions& options) {
  const Character& character = file.character;
  Mesh mesh = character.hasSkin() ? restMesh(character, instancesOf(file), file.playback()) : character.mesh;
  const auto isSkinned = [](const MeshPart& part) { return part.skinned; };
  if (options.includeUnskinned || std::none_of(mesh.parts.begin(), mesh.parts.end(), isSkinned)) return mesh;
  Mesh kept;
  kept.normals.resize(3, 0);
  kept.uvs = mesh.uvs;
  std::vector<Index> source;
  std::vector<std::uint32_t> renumbered(toSize(mesh.vertexCount()), std::numeric_limits<std::uint32_t>::max());
  for (const MeshPart& part : mesh.parts) {
    if (!part.skinned) continue;
    MeshPart copy = part;
    copy.firstVertex = static_cast<Index>(source.size());
    for (Index v = part.firstVertex; v < part.firstVertex + part.vertexCount; ++v) {
      renumbered[toSize(v)] = static_cast<std::uint32_t>(source.size());
      source.push_back(v);
    }
    copy.firstFace = kept.faces.size();
    for (std::size_t f = part.firstFace; f < part.firstFace + part.faceCount; ++f) {
      for (std::uint32_t c = mesh.faces.start[f]; c < mesh.faces.start[f + 1]; ++c) {
        kept.faces.corner.push_back(renumbered[mesh.faces.corner[c]]);
        if (!mesh.cornerUv.empty()) kept.cornerUv.push_back(mesh.cornerUv[c]);
      }
      kept.faces.start.push_back(static_cast<std::uint32_t>(kept.faces.corner.size()));
    }
    kept.parts.push_back(copy);
  }
  kept.points = mesh.points(Eigen::all, source);
  if (mesh.normals.cols() > 0) kept.normals = mesh.normals(Eigen::all, source);
  if (mesh.cornerUv.empty() && mesh.uvs.cols() > 0) kept.uvs = mesh.uvs(Eigen::all, source);
  return kept;
}

void tellWhatPlainMeshesLose(const CharacterFile& file, std::string_view format, const WriteOptions& options,
                             LostList& lost) {
  const Character& character = file.character;
  const auto plural = [](std::size_t count) { return count == 1 ? "" : "s"; };
  const auto tell = [&](std::size_t count, std::string_view thing) {
    if (count > 0) lost.push_back(fmt::format("{} does not support the {} {}{}", format, count, thing, plural(count)));
  };
  const auto& parts = character.mesh.parts;
  const auto skinned =
      toSize(std::count_if(parts.begin(), parts.end(), [](const MeshPart& part) { return part.skinned; }));
  if (!options.includeUnskinned && skinned > 0 && skinned < parts.size()) {
    lost.push_back(fmt::format("{} part{} without a skin {} not written; --all writes {}", parts.size() - skinned,
                               plural(parts.size() - skinned), parts.size() - skinned == 1 ? "is" : "are",
                               parts.size() - skinned == 1 ? "it" : "them"));
  }
  // Parts without a skin follow their nodes: neither these nor such weights are in the file.
  tell(skinned > 0 || parts.empty() ? skinJoints(character).size() : 0, "joint");
  if (character.hasSkin() && (skinned > 0 || parts.empty()))
    lost.push_back(fmt::format("{} does not support skin weights", format));
  tell(character.morphs.size(), "morph target");
  tell(character.clips.size(), "animation clip");
  if (file.poseSpace) lost.push_back(fmt::format("{} does not support learned pose-space corrections", format));
  if (file.source != nullptr && file.format != format) {
    lost.push_back(fmt::format("materials, textures and other data that only {} supports are not kept",
                               file.format.empty() ? "the source file" : file.format));
  }
}

}  // namespace sinew::text
