// The OBJ parser. The text stays in memory and nothing is copied: a logical line (continued by a backslash) is a range
// of the text, a token is a view into it, and the document stores the positions of the numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <tuple>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/files.h"
#include "sinew/io/obj.h"
#include "sinew/io/obj/document.h"
#include "sinew/io/text/text_formats.h"

namespace sinew::obj {
namespace {

/// Keywords that do not affect the shape, or that only other programs need; they are written back.
constexpr std::string_view kKept[] = {"g",          "o",         "s",     "usemtl", "mtllib",   "l",
                                      "p",          "mg",        "bevel", "lod",    "c_interp", "d_interp",
                                      "shadow_obj", "trace_obj", "ctech", "maplib", "stech",    "usemap"};

constexpr std::size_t kLinesPerReport = 1 << 16;

class ObjParser {
 public:
  ObjParser(std::string text, const std::filesystem::path& path, const ReadOptions& options)
      : document_(std::make_shared<ObjDocument>()), options_(options), where_(path.string()) {
    document_->path = path;
    document_->text = std::move(text);
  }

  CharacterFile parse();

 private:
  void parseLines();
  void parseLine(text::TextTokens tokens, text::TextSpan line);
  void parseVertex(text::TextTokens& tokens);
  void parseTexture(text::TextTokens& tokens);
  void parseNormal(text::TextTokens& tokens, text::TextSpan line);
  void parseFace(text::TextTokens& tokens);
  void parseCorner(std::string_view token);
  bool parsePlainCorner(std::string_view token);
  void parseMaterialFile(text::TextTokens& tokens);
  void countUnknown(std::string_view keyword);

  double coordinate(std::string_view token, std::string_view what);
  std::uint32_t resolve(std::int64_t index, std::size_t count, std::string_view what);
  void checkReferences();
  void finishMesh(Mesh& mesh);
  void finishNormals(Mesh& mesh);
  [[noreturn]] void refuse(std::size_t line, const std::string& sentence) const;
  [[nodiscard]] std::uint32_t offsetOf(const char* position) const {
    return static_cast<std::uint32_t>(position - document_->text.data());
  }
  [[nodiscard]] std::size_t lineAt(std::uint32_t offset) const;

  std::shared_ptr<ObjDocument> document_;
  ReadOptions options_;
  std::string where_;
  std::size_t line_ = 1;  ///< number of the first physical line of the current one
  std::vector<double> points_;
  std::vector<double> uvs_;
  std::vector<double> normals_;
  Faces faces_;
  std::vector<std::uint32_t> cornerUv_;
  std::size_t notFinite_ = 0;
  std::size_t firstNotFinite_ = 0;
  std::size_t badNormals_ = 0;
  std::size_t unknown_ = 0;
  std::string firstUnknown_;
};

/// The end of the line that starts at `begin`, and the start of the next one: LF, CR LF and CR all break lines. Looks
/// window by window, so that a file without LF is not searched to its end for every line.
std::pair<const char*, const char*> lineEnd(const char* begin, const char* end) {
  constexpr std::ptrdiff_t kWindow = 1024;
  const auto find = [](char c, const char* from, const char* until) {
    const void* const found = std::memchr(from, c, toSize(until - from));
    return found == nullptr ? until : static_cast<const char*>(found);
  };
  while (begin < end) {
    const char* const until = begin + std::min(kWindow, end - begin);
    const char* const stop = find('\r', begin, find('\n', begin, until));
    if (stop < until) return {stop, *stop == '\r' && stop + 1 < end && stop[1] == '\n' ? stop + 2 : stop + 1};
    begin = until;
  }
  return {end, end};
}

std::size_t ObjParser::lineAt(std::uint32_t offset) const {
  const char* const wanted = document_->text.data() + offset;
  const char* const end = document_->text.data() + document_->text.size();
  std::size_t line = 0;
  for (const char* begin = document_->text.data(); begin <= wanted && begin < end; ++line)
    begin = lineEnd(begin, end).second;
  return line;
}

void ObjParser::refuse(std::size_t line, const std::string& sentence) const {
  throw Error(ErrorCode::Unreadable, fmt::format("line {}: {}", line, sentence), where_);
}

double ObjParser::coordinate(std::string_view token, std::string_view what) {
  if (token.empty()) refuse(line_, fmt::format("the {} has too few numbers; export the mesh again", what));
  const auto value = text::parseDouble(token);
  if (!value) {
    refuse(line_, fmt::format("the {} has '{}' instead of a number; fix it or export the mesh again", what,
                              text::printable(token)));
  }
  return *value;
}

void ObjParser::parseVertex(text::TextTokens& tokens) {
  text::TextSpan span;
  for (int i = 0; i < 3; ++i) {
    const std::string_view token = tokens.next();
    double value = coordinate(token, "vertex");
    if (!std::isfinite(value)) {
      if (!options_.tolerant) {
        refuse(line_,
               fmt::format(
                   "the vertex has the coordinate '{}', which is not a finite number; fix it or export the mesh again",
                   text::printable(token)));
      }
      if (notFinite_++ == 0) firstNotFinite_ = line_;
      value = std::numeric_limits<double>::quiet_NaN();
    }
    points_.push_back(value);
    if (i == 0) span.begin = offsetOf(token.data());
    span.end = offsetOf(token.data() + token.size());
  }
  document_->points.push_back(span);
}

void ObjParser::parseTexture(text::TextTokens& tokens) {
  for (int i = 0; i < 2; ++i) {
    const std::string_view token = tokens.next();
    double value = i == 1 && token.empty() ? 0 : coordinate(token, "texture coordinate");
    if (!std::isfinite(value)) {
      if (!options_.tolerant) {
        refuse(line_,
               fmt::format(
                   "the texture coordinate has '{}', which is not a finite number; fix it or export the mesh again",
                   text::printable(token)));
      }
      if (notFinite_++ == 0) firstNotFinite_ = line_;
      value = 0;
    }
    uvs_.push_back(i == 1 ? 1 - value : value);
  }
}

void ObjParser::parseNormal(text::TextTokens& tokens, text::TextSpan line) {
  text::TextSpan span;
  Vec3 normal;
  for (int i = 0; i < 3; ++i) {
    const std::string_view token = tokens.next();
    normal[i] = coordinate(token, "normal");
    if (i == 0) span.begin = offsetOf(token.data());
    span.end = offsetOf(token.data() + token.size());
  }
  // Exporters write "nan" for the normals of degenerate faces; nothing depends on them, so the mesh is accepted.
  if (!normal.allFinite()) {
    ++badNormals_;
    normal.setZero();
  }
  normals_.insert(normals_.end(), normal.data(), normal.data() + 3);
  document_->normals.push_back(span);
  document_->normalLines.push_back(line);
}

std::uint32_t ObjParser::resolve(std::int64_t index, std::size_t count, std::string_view what) {
  if (index == 0)
    refuse(line_, fmt::format("the face refers to {0} 0, but the first {0} is number 1; fix the index", what));
  const std::int64_t resolved = index > 0 ? index - 1 : static_cast<std::int64_t>(count) + index;
  if (resolved < 0) {
    refuse(line_, fmt::format("the face refers to {} {}, counted back from the last, but there are only {} before it; "
                              "fix the index or export the mesh again",
                              what, index, count));
  }
  // A number that no file of this size can reach; smaller ones may name what follows, and are checked at the end.
  if (resolved >= static_cast<std::int64_t>(document_->text.size())) {
    refuse(
        line_,
        fmt::format("the face refers to {} {}, but there are only {} before it; fix the index or export the mesh again",
                    what, index, count));
  }
  return static_cast<std::uint32_t>(resolved);
}

/// The up to nine digits at `next`, which is moved behind them; 0 if what follows is neither a slash nor the end.
std::uint32_t shortNumber(const char*& next, const char* end) {
  constexpr std::ptrdiff_t kMostDigits = 9;
  const char* const begin = next;
  std::uint32_t number = 0;
  while (next < end && next - begin < kMostDigits && *next >= '0' && *next <= '9')
    number = 10 * number + static_cast<std::uint32_t>(*next++ - '0');
  return next == end || *next == '/' ? number : 0;
}

/// The usual corner: positive numbers of what came before. False for all others, which are looked at closely.
bool ObjParser::parsePlainCorner(std::string_view token) {
  const std::size_t counts[] = {points_.size() / 3, uvs_.size() / 2, normals_.size() / 3};
  std::uint32_t corner[] = {ObjDocument::kNone, ObjDocument::kNone, ObjDocument::kNone};
  const char* next = token.data();
  const char* const end = next + token.size();
  for (std::size_t i = 0; i < 3; ++i) {
    if (i != 1 || next == end || *next != '/') {  // not v//vn
      const std::uint32_t number = shortNumber(next, end);
      if (number == 0 || number > counts[i]) return false;
      corner[i] = number - 1;
    }
    if (next == end) break;
    if (i == 2) return false;
    ++next;  // the slash
  }
  faces_.corner.push_back(corner[0]);
  cornerUv_.push_back(corner[1]);
  document_->cornerNormal.push_back(corner[2]);
  return true;
}

/// v, v/vt, v//vn or v/vt/vn.
void ObjParser::parseCorner(std::string_view token) {
  if (parsePlainCorner(token)) return;
  static constexpr std::string_view kWhat[] = {"vertex", "texture coordinate", "normal"};
  const std::size_t counts[] = {points_.size() / 3, uvs_.size() / 2, normals_.size() / 3};
  std::uint32_t corner[] = {ObjDocument::kNone, ObjDocument::kNone, ObjDocument::kNone};
  std::string_view rest = token;
  for (int i = 0; i < 3; ++i) {
    const std::size_t slash = rest.find('/');
    const std::string_view number = rest.substr(0, slash);
    if (!number.empty()) {
      const auto index = text::parseInteger(number);
      if (!index) break;
      corner[i] = resolve(*index, counts[i], kWhat[i]);
    } else if (i == 0) {
      break;
    }
    rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    if (slash == std::string_view::npos) break;
    if (i == 2) rest = token;  // a third slash
  }
  if (corner[0] == ObjDocument::kNone || !rest.empty()) {
    refuse(line_,
           fmt::format("the face has the corner '{}'; write it as v, v/vt, v//vn or v/vt/vn", text::printable(token)));
  }
  faces_.corner.push_back(corner[0]);
  cornerUv_.push_back(corner[1]);
  document_->cornerNormal.push_back(corner[2]);
}

void ObjParser::parseFace(text::TextTokens& tokens) {
  text::TextSpan span;
  const std::size_t first = faces_.corner.size();
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (faces_.corner.size() == first) span.begin = offsetOf(token.data());
    span.end = offsetOf(token.data() + token.size());
    parseCorner(token);
  }
  const std::size_t corners = faces_.corner.size() - first;
  if (corners < 3) {
    refuse(line_,
           fmt::format("the face has {} corner{}, but a face needs at least 3; remove the line (edges are written "
                       "as l)",
                       corners, corners == 1 ? "" : "s"));
  }
  faces_.start.push_back(static_cast<std::uint32_t>(faces_.corner.size()));
  document_->faces.push_back(span);
}

/// The rest of the line is one name, which may have spaces.
void ObjParser::parseMaterialFile(text::TextTokens& tokens) {
  const std::string_view name = tokens.restOfLine();
  if (!name.empty()) document_->materialFiles.emplace_back(name);
}

void ObjParser::countUnknown(std::string_view keyword) {
  if (std::find(std::begin(kKept), std::end(kKept), keyword) != std::end(kKept)) return;
  if (unknown_++ == 0) firstUnknown_ = fmt::format("line {}: '{}'", line_, text::printable(keyword));
}

void ObjParser::parseLine(text::TextTokens tokens, text::TextSpan line) {
  const std::string_view keyword = tokens.next();
  if (keyword == "v") {
    parseVertex(tokens);
  } else if (keyword == "vt") {
    parseTexture(tokens);
  } else if (keyword == "vn") {
    parseNormal(tokens, line);
  } else if (keyword == "f" || keyword == "fo") {
    parseFace(tokens);
  } else if (keyword == "mtllib") {
    parseMaterialFile(tokens);
  } else if (!keyword.empty()) {
    countUnknown(keyword);
  }
}

/// Whether a line that starts here may go on after a backslash: those with numbers. A comment or a name that ends in a
/// backslash must not swallow the next line.
bool mayContinue(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  const char c = line[first];
  return c == 'v' || c == 'f' || c == 'l' || c == 'p';
}

void ObjParser::parseLines() {
  const std::string& text = document_->text;
  const char* const end = text.data() + text.size();
  const char* begin = text.data();
  if (text.starts_with("\xEF\xBB\xBF")) begin += 3;
  while (begin < end) {
    const char* stop = begin;
    const char* next = begin;
    std::size_t physical = 0;
    do {
      std::tie(stop, next) = lineEnd(next, end);
      ++physical;
    } while (next < end && text::endsInBackslash({begin, stop}) && mayContinue({begin, stop}));
    parseLine(text::TextTokens({begin, stop}), {offsetOf(begin), offsetOf(next)});
    if (line_ / kLinesPerReport != (line_ + physical) / kLinesPerReport)
      report(options_.progress,
             {static_cast<double>(next - text.data()) / static_cast<double>(text.size()), "reading"});
    line_ += physical;
    begin = next;
  }
}

void ObjParser::checkReferences() {
  const std::size_t counts[] = {points_.size() / 3, uvs_.size() / 2, normals_.size() / 3};
  const std::vector<std::uint32_t>* const lists[] = {&faces_.corner, &cornerUv_, &document_->cornerNormal};
  static constexpr std::string_view kWhat[][2] = {
      {"vertex", "vertices"}, {"texture coordinate", "texture coordinates"}, {"normal", "normals"}};
  for (int i = 0; i < 3; ++i) {
    const auto bad = std::find_if(lists[i]->begin(), lists[i]->end(), [&](std::uint32_t index) {
      return index != ObjDocument::kNone && index >= counts[i];
    });
    if (bad == lists[i]->end()) continue;
    const auto corner = static_cast<std::uint32_t>(bad - lists[i]->begin());
    const auto face = std::upper_bound(faces_.start.begin(), faces_.start.end(), corner) - faces_.start.begin() - 1;
    const std::uint32_t offset = document_->faces[toSize(face)].begin;
    refuse(lineAt(offset),
           fmt::format("the face refers to {} {}, but the file has only {} {}; fix the index or export the mesh again",
                       kWhat[i][0], std::uint64_t{*bad} + 1, counts[i], kWhat[i][counts[i] != 1]));
  }
}

/// Which normal each vertex has, as long as each has one value; by value, because exporters repeat and share them.
void ObjParser::finishNormals(Mesh& mesh) {
  if (normals_.empty()) return;
  const Eigen::Map<const Points> normals(normals_.data(), 3, static_cast<Index>(normals_.size() / 3));
  std::vector<std::uint32_t>& ofVertex = document_->vertexNormal;
  ofVertex.assign(toSize(mesh.vertexCount()), ObjDocument::kNone);
  for (std::size_t c = 0; c < faces_.corner.size(); ++c) {
    const std::uint32_t normal = document_->cornerNormal[c];
    if (normal == ObjDocument::kNone) continue;
    std::uint32_t& known = ofVertex[faces_.corner[c]];
    if (known == ObjDocument::kNone) {
      known = normal;
    } else if (known != normal && normals.col(known) != normals.col(normal)) {
      ofVertex.clear();
      return;
    }
  }
  if (std::find(ofVertex.begin(), ofVertex.end(), ObjDocument::kNone) != ofVertex.end()) return;
  mesh.normals.resize(3, mesh.vertexCount());
  for (Index v = 0; v < mesh.vertexCount(); ++v) {
    const Vec3 normal = normals.col(ofVertex[toSize(v)]);
    const double length = normal.stableNorm();
    if (!(length > 0) || !std::isfinite(length)) {
      mesh.normals.resize(3, 0);
      return;
    }
    mesh.normals.col(v) = normal / length;
  }
}

void ObjParser::finishMesh(Mesh& mesh) {
  mesh.points = Eigen::Map<const Points>(points_.data(), 3, static_cast<Index>(points_.size() / 3));
  mesh.normals.resize(3, 0);
  finishNormals(mesh);
  const auto isNone = [](std::uint32_t uv) { return uv == ObjDocument::kNone; };
  if (!std::all_of(cornerUv_.begin(), cornerUv_.end(), isNone)) {
    // Corners without a texture coordinate share one more, at the origin: the mesh has one for every corner or none.
    if (std::any_of(cornerUv_.begin(), cornerUv_.end(), isNone)) {
      const auto origin = static_cast<std::uint32_t>(uvs_.size() / 2);
      std::replace_if(cornerUv_.begin(), cornerUv_.end(), isNone, origin);
      uvs_.insert(uvs_.end(), {0, 1});
    }
    mesh.uvs = Eigen::Map<const Eigen::Matrix2Xd>(uvs_.data(), 2, static_cast<Index>(uvs_.size() / 2));
    mesh.cornerUv = std::move(cornerUv_);
  }
  mesh.faces = std::move(faces_);
  MeshPart part;
  part.name = document_->path.stem().string();
  part.vertexCount = mesh.vertexCount();
  part.faceCount = mesh.faces.size();
  mesh.parts.push_back(part);
}

CharacterFile ObjParser::parse() {
  const std::string& text = document_->text;
  text::checkIsText(text, where_);
  parseLines();
  if (points_.empty()) {
    throw Error(ErrorCode::Unreadable, "has no vertices (lines that start with v); export the mesh again", where_);
  }
  if (faces_.size() == 0 && !options_.facesOptional)
    throw Error(ErrorCode::Unreadable, text::noFaces(static_cast<Index>(points_.size() / 3)), where_);
  checkReferences();
  CharacterFile file;
  finishMesh(document_->mesh);
  file.character.name = document_->path.stem().string();
  file.character.mesh = document_->mesh;
  Points& points = file.character.mesh.points;
  points = points.array().isNaN().select(0, points);
  if (notFinite_ > 0) {
    file.problems.push_back(fmt::format("{} not finite (first in line {}); set to 0",
                                        counted(notFinite_, "coordinate is", "coordinates are"), firstNotFinite_));
  }
  if (badNormals_ > 0) file.problems.push_back(fmt::format("{} normals are not finite numbers", badNormals_));
  if (unknown_ > 0) {
    file.problems.push_back(
        fmt::format("{} lines are unknown, but kept for writing (first: {})", unknown_, firstUnknown_));
  }
  file.format = "OBJ";
  file.source = std::move(document_);
  return file;
}

}  // namespace
}  // namespace sinew::obj

namespace sinew {

CharacterFile parseObj(std::string text, const std::filesystem::path& path, const ReadOptions& options) {
  return obj::ObjParser(std::move(text), path, options).parse();
}

CharacterFile readObj(const std::filesystem::path& path, const ReadOptions& options) {
  return parseObj(readFile(path, options.progress), path, options);
}

}  // namespace sinew
