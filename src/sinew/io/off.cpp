// The header is [ST][C][N]OFF, or nothing; then the counts of vertices, faces and edges; then a line per vertex
// (x y z, normal, colour, texture) and a line per face (corner count, corners, colour). The counts are only believed as
// far as lines follow them: nothing is allocated ahead.
#include "sinew/io/off.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/io/files.h"
#include "sinew/io/text/text_formats.h"

namespace sinew {
namespace {

struct OffDocument final : SourceDocument {
  std::string text;
  Mesh mesh;                           ///< as read; NaN where a coordinate was not finite, so that it counts as changed
  std::vector<text::TextSpan> points;  ///< "x y z" of every vertex
  std::vector<text::TextSpan> normals;  ///< "x y z" of every normal, or none
};

class OffParser {
 public:
  OffParser(std::string text, const std::filesystem::path& path, const ReadOptions& options)
      : document_(std::make_shared<OffDocument>()),
        name_(path.stem().string()),
        where_(path.string()),
        options_(options) {
    document_->text = std::move(text);
  }

  CharacterFile parse();

 private:
  std::string_view nextLine();
  void parseHeader();
  void parseKind(std::string_view keyword);
  std::uint64_t count(text::TextTokens& tokens);
  void parseVertex(std::string_view line);
  void parseFace(std::string_view line);
  text::TextSpan parseVec3(text::TextTokens& tokens, std::string_view what, std::vector<double>& values);
  double number(std::string_view token, std::string_view what);
  void fillMesh();
  [[noreturn]] void refuse(const std::string& sentence) const {
    throw Error(ErrorCode::Unreadable, fmt::format("line {}: {}", line_, sentence), where_);
  }

  std::shared_ptr<OffDocument> document_;
  std::string name_;
  std::string where_;
  ReadOptions options_;
  std::size_t position_ = 0;
  std::size_t line_ = 0;
  bool hasNormals_ = false;
  bool hasUvs_ = false;
  std::uint64_t vertexCount_ = 0;
  std::uint64_t faceCount_ = 0;
  std::vector<double> points_;
  std::vector<double> normals_;
  std::vector<double> uvs_;
  std::size_t notFinite_ = 0;
  std::size_t firstNotFinite_ = 0;
};

/// The next line with something on it; empty at the end of the file.
std::string_view OffParser::nextLine() {
  const std::string& text = document_->text;
  while (position_ < text.size()) {
    const std::size_t stop = std::min(text.find('\n', position_), text.size());
    const std::string_view line = std::string_view(text).substr(position_, stop - position_);
    position_ = std::min(stop + 1, text.size());
    ++line_;
    if (!text::TextTokens(line).next().empty()) return line;
  }
  return {};
}

void OffParser::parseKind(std::string_view keyword) {
  const std::string_view prefix = keyword.substr(0, keyword.size() - 3);
  std::string_view rest = prefix;
  const auto take = [&rest](std::string_view letters) {
    if (!rest.starts_with(letters)) return false;
    rest.remove_prefix(letters.size());
    return true;
  };
  hasUvs_ = take("ST");
  take("C");
  hasNormals_ = take("N");
  if (!rest.empty()) {
    refuse(fmt::format("the kind '{}' is not supported; save the mesh as OFF, COFF, NOFF or STOFF",
                       text::printable(keyword)));
  }
}

std::uint64_t OffParser::count(text::TextTokens& tokens) {
  const std::string_view token = tokens.next();
  const auto value = text::parseInteger(token);
  if (!value || *value < 0) {
    refuse(
        fmt::format("found '{}' instead of the numbers of vertices, faces and edges; fix it or export the mesh again",
                    text::printable(token)));
  }
  return static_cast<std::uint64_t>(*value);
}

void OffParser::parseHeader() {
  std::string_view line = nextLine();
  text::TextTokens tokens(line);
  std::string_view first = tokens.next();
  if (first.ends_with("OFF")) {
    parseKind(first);
    text::TextTokens ahead = tokens;
    first = ahead.next();
    if (first == "BINARY") refuse("binary OFF is not supported; save the mesh as text");
    if (first.empty()) tokens = text::TextTokens(nextLine());
  } else if (text::parseDouble(first)) {
    tokens = text::TextTokens(line);  // the keyword may be left out
  } else {
    throw Error(ErrorCode::Unreadable, "does not start with OFF; check that its extension matches its format", where_);
  }
  vertexCount_ = count(tokens);
  faceCount_ = count(tokens);
  if (vertexCount_ == 0) refuse("the file has no vertices; export the mesh again");
}

double OffParser::number(std::string_view token, std::string_view what) {
  if (token.empty()) refuse(fmt::format("the {} has too few numbers; export the mesh again", what));
  const auto value = text::parseDouble(token);
  if (!value) {
    refuse(fmt::format("the {} has '{}' instead of a number; fix it or export the mesh again", what,
                       text::printable(token)));
  }
  if (std::isfinite(*value)) return *value;
  if (!options_.tolerant) {
    refuse(fmt::format("the {} has '{}', which is not a finite number; fix it or export the mesh again", what,
                       text::printable(token)));
  }
  if (notFinite_++ == 0) firstNotFinite_ = line_;
  return std::numeric_limits<double>::quiet_NaN();
}

text::TextSpan OffParser::parseVec3(text::TextTokens& tokens, std::string_view what, std::vector<double>& values) {
  text::TextSpan span;
  for (int i = 0; i < 3; ++i) {
    const std::string_view token = tokens.next();
    values.push_back(number(token, what));
    const char* const text = document_->text.data();
    if (i == 0) span.begin = static_cast<std::uint32_t>(token.data() - text);
    span.end = static_cast<std::uint32_t>(token.data() + token.size() - text);
  }
  return span;
}

void OffParser::parseVertex(std::string_view line) {
  text::TextTokens tokens(line);
  document_->points.push_back(parseVec3(tokens, "vertex", points_));
  if (hasNormals_) document_->normals.push_back(parseVec3(tokens, "normal", normals_));
  if (!hasUvs_) return;
  // Texture coordinates come last, after a colour of any length.
  std::string_view last[2];
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    last[0] = last[1];
    last[1] = token;
  }
  const double u = number(last[0], "texture coordinate");
  const double v = number(last[1], "texture coordinate");
  uvs_.insert(uvs_.end(), {std::isnan(u) ? 0 : u, std::isnan(v) ? 0 : 1 - v});
}

void OffParser::parseFace(std::string_view line) {
  text::TextTokens tokens(line);
  Faces& faces = document_->mesh.faces;
  const std::uint64_t corners = count(tokens);
  if (corners < 3) refuse(fmt::format("the face has {} corners, but a face needs at least 3; remove it", corners));
  for (std::uint64_t i = 0; i < corners; ++i) {
    const std::string_view token = tokens.next();
    if (token.empty()) refuse(fmt::format("the face has {} corners, but declares {}; fix it", i, corners));
    const auto index = text::parseInteger(token);
    if (!index || *index < 0 || static_cast<std::uint64_t>(*index) >= vertexCount_) {
      refuse(
          fmt::format("the face refers to vertex '{}', but the file has {} vertices, counted from 0; fix the index or "
                      "export the mesh again",
                      text::printable(token), vertexCount_));
    }
    faces.corner.push_back(static_cast<std::uint32_t>(*index));
  }
  faces.start.push_back(static_cast<std::uint32_t>(faces.corner.size()));
}

void OffParser::fillMesh() {
  Mesh& mesh = document_->mesh;
  const auto count = static_cast<Index>(vertexCount_);
  mesh.points = Eigen::Map<const Points>(points_.data(), 3, count);
  mesh.normals.resize(3, 0);
  if (hasUvs_) mesh.uvs = Eigen::Map<const Eigen::Matrix2Xd>(uvs_.data(), 2, count);
  if (hasNormals_) {
    mesh.normals = Eigen::Map<const Points>(normals_.data(), 3, count);
    const Eigen::RowVectorXd lengths = mesh.normals.colwise().stableNorm();
    if (lengths.allFinite() && lengths.minCoeff() > 0) {
      mesh.normals.array().rowwise() /= lengths.array();
    } else {
      mesh.normals.resize(3, 0);
    }
  }
  MeshPart part;
  part.name = name_;
  part.vertexCount = count;
  part.faceCount = mesh.faces.size();
  mesh.parts.push_back(part);
}

CharacterFile OffParser::parse() {
  text::checkIsText(document_->text, where_);
  parseHeader();
  const auto endEarly = [&](std::string_view what, std::uint64_t found, std::uint64_t told) {
    throw Error(ErrorCode::Unreadable,
                fmt::format("ends after {} of the {} {} that it declares; export the mesh again", found, told, what),
                where_);
  };
  for (std::uint64_t v = 0; v < vertexCount_; ++v) {
    const std::string_view line = nextLine();
    if (line.empty()) endEarly("vertices", v, vertexCount_);
    parseVertex(line);
  }
  for (std::uint64_t f = 0; f < faceCount_; ++f) {
    const std::string_view line = nextLine();
    if (line.empty()) endEarly("faces", f, faceCount_);
    parseFace(line);
  }
  fillMesh();
  CharacterFile file;
  file.format = "OFF";
  file.character.name = name_;
  file.character.mesh = document_->mesh;
  Points& points = file.character.mesh.points;
  points = points.unaryExpr([](double x) { return std::isnan(x) ? 0 : x; });
  if (notFinite_ > 0) {
    file.problems.push_back(
        fmt::format("{} numbers are not finite (first in line {}); they were set to 0", notFinite_, firstNotFinite_));
  }
  file.source = std::move(document_);
  return file;
}

std::string editedText(const OffDocument& document, const Mesh& mesh) {
  if (mesh.points == document.mesh.points && mesh.normals == document.mesh.normals) return document.text;
  Points normals = mesh.normals;
  if (!document.normals.empty() && (normals.cols() == 0 || normals == document.mesh.normals))
    computeNormals(mesh.points, triangulate(mesh), normals);
  std::string text;
  std::size_t position = 0;
  const auto replace = [&](text::TextSpan span, const Vec3& value) {
    text.append(document.text, position, span.begin - position);
    text::appendVec3(text, value);
    position = span.end;
  };
  for (std::size_t v = 0; v < document.points.size(); ++v) {
    const auto column = static_cast<Index>(v);
    if (mesh.points.col(column) != document.mesh.points.col(column))
      replace(document.points[v], mesh.points.col(column));
    if (!document.normals.empty()) replace(document.normals[v], normals.col(column));
  }
  text.append(document.text, position);
  return text;
}

std::string freshText(const Mesh& mesh) {
  const bool hasNormals = mesh.normals.cols() > 0;
  std::string text = fmt::format("{}\n{} {} 0\n", hasNormals ? "NOFF" : "OFF", mesh.vertexCount(), mesh.faces.size());
  for (Index v = 0; v < mesh.vertexCount(); ++v) {
    text::appendVec3(text, mesh.points.col(v));
    if (hasNormals) {
      text += ' ';
      text::appendVec3(text, mesh.normals.col(v));
    }
    text += '\n';
  }
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), mesh.faces[f].size());
    for (const std::uint32_t vertex : mesh.faces[f])
      fmt::format_to(std::back_inserter(text), FMT_COMPILE(" {}"), vertex);
    text += '\n';
  }
  return text;
}

}  // namespace

CharacterFile parseOff(std::string text, const std::filesystem::path& path, const ReadOptions& options) {
  return OffParser(std::move(text), path, options).parse();
}

std::string formatOff(const CharacterFile& file, const WriteOptions& options, LostList& lost) {
  text::tellWhatPlainMeshesLose(file, "OFF", options, lost);
  const Mesh mesh = text::meshToWrite(file, options);
  checkMesh(mesh, "OFF");
  const auto* const document = dynamic_cast<const OffDocument*>(file.source.get());
  if (document != nullptr && mesh.faces.corner == document->mesh.faces.corner &&
      mesh.faces.start == document->mesh.faces.start && mesh.vertexCount() == document->mesh.vertexCount()) {
    return editedText(*document, mesh);
  }
  if (document != nullptr)
    lost.emplace_back("comments and colours are not kept, because the faces differ from the source file");
  if (mesh.uvs.cols() > 0) lost.emplace_back("texture coordinates are omitted: few programs read them from OFF");
  return freshText(mesh);
}

CharacterFile readOff(const std::filesystem::path& path, const ReadOptions& options) {
  return parseOff(readFile(path, options.progress), path, options);
}

LostList writeOff(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options) {
  LostList lost;
  putFile(path, formatOff(file, options, lost), options.into);
  return lost;
}

}  // namespace sinew
