// The OBJ writer. A mesh that came from an OBJ is written as edits of its text, so that all else comes back; any other
// mesh is written plainly. fmt writes the shortest digits that read back as the same double.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "sinew/base/check.h"
#include "sinew/io/files.h"
#include "sinew/io/obj.h"
#include "sinew/io/obj/document.h"
#include "sinew/io/text/text_formats.h"

namespace sinew::obj {
namespace {

using Output = std::back_insert_iterator<std::string>;

/// What becomes of the normals of a document whose points have moved.
enum class NormalEdit {
  None,      ///< nothing has to change
  InPlace,   ///< each vn line belongs to one vertex: new numbers in the same lines
  Renumber,  /// vertices share vn lines (exporters merge equal ones): a vn per vertex, and new numbers in the faces
  Drop       ///< a vertex has several normals (hard edges), which cannot be made again
};

bool sameFaces(const Mesh& a, const Mesh& b) {
  return a.vertexCount() == b.vertexCount() && a.faces.start == b.faces.start && a.faces.corner == b.faces.corner &&
         a.cornerUv == b.cornerUv && a.uvs.cols() == b.uvs.cols() && a.uvs == b.uvs;
}

class ObjEditor {
 public:
  ObjEditor(const ObjDocument& document, const Mesh& mesh) : document_(document), mesh_(mesh) {
    const Points& before = document.mesh.normals;
    const bool moved = mesh.points != document.mesh.points;
    const bool turned =
        mesh.normals.cols() == mesh.vertexCount() && before.cols() == mesh.normals.cols() && mesh.normals != before;
    if (document.normals.empty() || (!moved && !turned)) return;
    if (document.vertexNormal.empty()) {
      edit_ = NormalEdit::Drop;
      return;
    }
    edit_ = eachNormalHasOneVertex() ? NormalEdit::InPlace : NormalEdit::Renumber;
    if (turned) {
      normals_ = mesh.normals;
    } else {
      computeNormals(mesh.points, triangulate(mesh), normals_);
    }
  }

  [[nodiscard]] bool dropsNormals() const { return edit_ == NormalEdit::Drop; }
  std::string edited();

 private:
  /// A stretch of the text that is replaced.
  struct Edit {
    enum class Kind { Point, Normal, NormalLine, Face };
    text::TextSpan span;
    Kind kind = Kind::Point;
    std::uint32_t index = 0;
  };

  [[nodiscard]] bool eachNormalHasOneVertex() const;
  [[nodiscard]] std::vector<Edit> listEdits() const;
  void append(const Edit& edit, std::string& text) const;
  void appendFace(std::uint32_t face, std::string& text) const;

  const ObjDocument& document_;
  const Mesh& mesh_;
  NormalEdit edit_ = NormalEdit::None;
  Points normals_;
};

bool ObjEditor::eachNormalHasOneVertex() const {
  std::vector<std::uint32_t> vertexOf(document_.normals.size(), ObjDocument::kNone);
  for (std::size_t c = 0; c < document_.cornerNormal.size(); ++c) {
    const std::uint32_t normal = document_.cornerNormal[c];
    if (normal == ObjDocument::kNone) continue;
    const std::uint32_t vertex = mesh_.faces.corner[c];
    if (vertexOf[normal] != ObjDocument::kNone && vertexOf[normal] != vertex) return false;
    vertexOf[normal] = vertex;
  }
  return true;
}

std::vector<ObjEditor::Edit> ObjEditor::listEdits() const {
  std::vector<Edit> edits;
  for (std::uint32_t v = 0; v < document_.points.size(); ++v) {
    if (mesh_.points.col(v) != document_.mesh.points.col(v))
      edits.push_back({document_.points[v], Edit::Kind::Point, v});
  }
  if (edit_ == NormalEdit::InPlace) {
    // Several vn lines of one vertex (equal ones) all take its new normal.
    std::vector<std::uint32_t> vertexOf(document_.normals.size(), ObjDocument::kNone);
    for (std::size_t c = 0; c < document_.cornerNormal.size(); ++c) {
      if (document_.cornerNormal[c] != ObjDocument::kNone) vertexOf[document_.cornerNormal[c]] = mesh_.faces.corner[c];
    }
    for (std::size_t n = 0; n < vertexOf.size(); ++n) {
      if (vertexOf[n] != ObjDocument::kNone) edits.push_back({document_.normals[n], Edit::Kind::Normal, vertexOf[n]});
    }
  } else if (edit_ != NormalEdit::None) {
    for (std::uint32_t n = 0; n < document_.normalLines.size(); ++n)
      edits.push_back({document_.normalLines[n], Edit::Kind::NormalLine, n});
    for (std::uint32_t f = 0; f < document_.faces.size(); ++f)
      edits.push_back({document_.faces[f], Edit::Kind::Face, f});
  }
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
  return edits;
}

/// The corners as they are written, but for the number after the second slash.
void ObjEditor::appendFace(std::uint32_t face, std::string& text) const {
  const text::TextSpan span = document_.faces[face];
  std::uint32_t corner = mesh_.faces.start[face];
  text::TextTokens tokens(std::string_view(document_.text).substr(span.begin, span.end - span.begin));
  std::string_view separator;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next(), ++corner) {
    text += separator;
    separator = " ";
    const bool hasNormal = document_.cornerNormal[corner] != ObjDocument::kNone;
    std::string_view kept = token;
    if (hasNormal) kept = token.substr(0, token.rfind('/'));
    if (hasNormal && edit_ == NormalEdit::Drop && kept.ends_with('/')) kept.remove_suffix(1);
    text += kept;
    if (hasNormal && edit_ == NormalEdit::Renumber)
      fmt::format_to(Output(text), "/{}", std::uint64_t{mesh_.faces.corner[corner]} + 1);
  }
}

void ObjEditor::append(const Edit& edit, std::string& text) const {
  switch (edit.kind) {
    case Edit::Kind::Point:
      text::appendVec3(text, mesh_.points.col(edit.index));
      break;
    case Edit::Kind::Normal:
      text::appendVec3(text, normals_.col(edit.index));
      break;
    case Edit::Kind::NormalLine:
      // The first vn line is before every face that may refer to it by a negative index: all new ones go there.
      if (edit_ == NormalEdit::Drop || edit.index > 0) break;
      for (Index v = 0; v < normals_.cols(); ++v) {
        text += "vn ";
        text::appendVec3(text, normals_.col(v));
        text += '\n';
      }
      break;
    case Edit::Kind::Face:
      appendFace(edit.index, text);
      break;
  }
}

std::string ObjEditor::edited() {
  const std::string& before = document_.text;
  std::string text;
  text.reserve(before.size() + before.size() / 2);
  std::size_t position = 0;
  for (const Edit& edit : listEdits()) {
    text.append(before, position, edit.span.begin - position);
    append(edit, text);
    position = edit.span.end;
  }
  text.append(before, position);
  return text;
}

/// Names must not break lines.
std::string lineName(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '_');
  return name;
}

void appendFaces(const Mesh& mesh, std::size_t begin, std::size_t end, std::string& text) {
  const bool hasUv = mesh.uvs.cols() > 0;
  const bool hasNormal = mesh.normals.cols() > 0;
  const auto out = Output(text);
  for (std::size_t f = begin; f < end; ++f) {
    text += 'f';
    for (std::uint32_t c = mesh.faces.start[f]; c < mesh.faces.start[f + 1]; ++c) {
      const std::uint64_t vertex = std::uint64_t{mesh.faces.corner[c]} + 1;
      const std::uint64_t uv = mesh.cornerUv.empty() ? vertex : std::uint64_t{mesh.cornerUv[c]} + 1;
      fmt::format_to(out, FMT_COMPILE(" {}"), vertex);
      if (hasUv) fmt::format_to(out, FMT_COMPILE("/{}"), uv);
      if (hasNormal) fmt::format_to(out, FMT_COMPILE("{}{}"), hasUv ? "/" : "//", vertex);
    }
    text += '\n';
  }
}

}  // namespace
}  // namespace sinew::obj

namespace sinew {

std::string formatObj(const Mesh& mesh) {
  checkMesh(mesh, "OBJ");
  std::string text;
  text.reserve(toSize(mesh.vertexCount()) * 64 + mesh.faces.corner.size() * 8);
  for (Index v = 0; v < mesh.vertexCount(); ++v) {
    text += "v ";
    text::appendVec3(text, mesh.points.col(v));
    text += '\n';
  }
  for (Index i = 0; i < mesh.uvs.cols(); ++i)
    fmt::format_to(obj::Output(text), FMT_COMPILE("vt {} {}\n"), mesh.uvs(0, i), 1 - mesh.uvs(1, i));
  for (Index v = 0; v < mesh.normals.cols(); ++v) {
    text += "vn ";
    text::appendVec3(text, mesh.normals.col(v));
    text += '\n';
  }
  if (mesh.parts.empty()) obj::appendFaces(mesh, 0, mesh.faces.size(), text);
  for (const MeshPart& part : mesh.parts) {
    if (!part.name.empty()) text += "o " + obj::lineName(part.name) + "\n";
    obj::appendFaces(mesh, part.firstFace, part.firstFace + part.faceCount, text);
  }
  return text;
}

std::string formatObj(const CharacterFile& file, const WriteOptions& options, LostList& lost) {
  text::tellWhatPlainMeshesLose(file, "OBJ", options, lost);
  const Mesh mesh = text::meshToWrite(file, options);
  checkMesh(mesh, "OBJ");
  const auto* const document = dynamic_cast<const obj::ObjDocument*>(file.source.get());
  if (document == nullptr) return formatObj(mesh);
  if (!obj::sameFaces(mesh, document->mesh)) {
    lost.emplace_back("comments, groups and materials are not kept, because the faces differ from the source file");
    return formatObj(mesh);
  }
  obj::ObjEditor editor(*document, mesh);
  if (editor.dropsNormals()) {
    lost.emplace_back(
        "normals are omitted: the shape has changed, and hard edges (several normals per vertex) cannot be recomputed");
  }
  return editor.edited();
}

LostList writeObj(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options) {
  namespace fs = std::filesystem;
  LostList lost;
  const std::string text = formatObj(file, options, lost);
  putFile(path, text, options.into);
  const auto* const document = dynamic_cast<const obj::ObjDocument*>(file.source.get());
  if (document == nullptr) return lost;
  std::error_code fault;
  const fs::path folder = fs::weakly_canonical(fs::absolute(path, fault), fault).parent_path();
  const fs::path source = fs::weakly_canonical(fs::absolute(document->path, fault), fault).parent_path();
  if (folder == source) return lost;
  for (const std::string& name : document->materialFiles) {
    if (!fs::exists(source / name, fault) || fs::exists(folder / name, fault)) continue;
    lost.push_back(
        fmt::format("the material file '{}' is still in '{}'; copy it next to the output", name, source.string()));
  }
  return lost;
}

}  // namespace sinew
