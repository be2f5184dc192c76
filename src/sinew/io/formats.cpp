// The registry: what each extension means, and how files of a folder are listed.
#include "sinew/io/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/deform/morph_driven_skin.h"
#include "sinew/io/files.h"
#include "sinew/io/foreign.h"
#include "sinew/io/gltf.h"
#include "sinew/io/obj.h"
#include "sinew/io/off.h"

namespace sinew {
namespace fs = std::filesystem;
namespace {

using Extensions = std::span<const std::string_view>;

constexpr std::string_view kGlb[] = {".glb"};
constexpr std::string_view kGltf[] = {".gltf"};
constexpr std::string_view kObj[] = {".obj"};
constexpr std::string_view kOff[] = {".off"};
constexpr std::string_view kFbx[] = {".fbx"};
constexpr std::string_view kCollada[] = {".dae"};
constexpr std::string_view kDirectX[] = {".x"};
constexpr std::string_view kBiovision[] = {".bvh"};
constexpr std::string_view kBlitz[] = {".b3d"};
constexpr std::string_view kMilkShape[] = {".ms3d"};
constexpr std::string_view kDoom[] = {".md5mesh"};
constexpr std::string_view kValve[] = {".smd"};
constexpr std::string_view k3dStudio[] = {".3ds"};
constexpr std::string_view kLightWave[] = {".lwo"};
constexpr std::string_view kPly[] = {".ply"};
constexpr std::string_view kStl[] = {".stl"};

constexpr std::string_view kMotionOnly = "Biovision";  ///< holds no meshes, so it is no part of a sequence

constexpr FormatRow kFormats[] = {
    {"glTF binary", kGlb, readGltf, writeGltf},
    {"glTF", kGltf, readGltf, writeGltf},
    {"OBJ", kObj, readObj, writeObj},
    {"OFF", kOff, readOff, writeOff},
    {"FBX", kFbx, readForeign, nullptr, FormatKind::Foreign},
    {"Collada", kCollada, readForeign, nullptr, FormatKind::Foreign},
    {"DirectX", kDirectX, readForeign, nullptr, FormatKind::Rare},
    {kMotionOnly, kBiovision, readForeign, nullptr, FormatKind::Foreign},
    {"Blitz3D", kBlitz, readForeign, nullptr, FormatKind::Rare},
    {"MilkShape 3D", kMilkShape, readForeign, nullptr, FormatKind::Rare},
    {"Doom 3", kDoom, readForeign, nullptr, FormatKind::Rare},
    {"Valve", kValve, readForeign, nullptr, FormatKind::Rare},
    {"3D Studio", k3dStudio, readForeign, nullptr, FormatKind::Rare},
    {"LightWave", kLightWave, readForeign, nullptr, FormatKind::Rare},
    {"PLY", kPly, readForeign, nullptr, FormatKind::Foreign},
    {"STL", kStl, readForeign, nullptr, FormatKind::Foreign},
};

std::string lowerCase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

const FormatRow* rowOf(const fs::path& path) {
  const std::string extension = lowerCase(path.extension().string());
  for (const FormatRow& row : kFormats) {
    if (std::find(row.extensions.begin(), row.extensions.end(), extension) != row.extensions.end()) return &row;
  }
  return nullptr;
}

std::string joinedList(const std::vector<std::string_view>& extensions) {
  return fmt::format("{}", fmt::join(extensions, ", "));
}

std::string readableExtensions(const FileRules& rules) {
  std::vector<std::string_view> list;
  for (const FormatRow& row : kFormats) {
    if (isReadable(row, rules)) list.insert(list.end(), row.extensions.begin(), row.extensions.end());
  }
  return joinedList(list);
}

std::string writableExtensions() {
  std::vector<std::string_view> list;
  for (const FormatRow& row : kFormats) {
    if (row.write != nullptr) list.insert(list.end(), row.extensions.begin(), row.extensions.end());
  }
  return joinedList(list);
}

std::string saidExtension(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension.empty() ? "has no extension" : fmt::format("has the extension '{}'", extension);
}

const FormatRow& writableRow(const fs::path& path) {
  const FormatRow* const row = rowOf(path);
  if (row != nullptr && row->write != nullptr) return *row;
  throw Error(ErrorCode::Unwritable,
              fmt::format("{} and cannot be written; use one of {}", saidExtension(path), writableExtensions()),
              path.string());
}

const FormatRow& readableRow(const fs::path& path, const FileRules& rules) {
  const FormatRow* const row = rowOf(path);
  if (row != nullptr && isReadable(*row, rules)) return *row;
  if (row != nullptr && row->kind == FormatKind::Rare) {
    throw Error(
        ErrorCode::Unreadable,
        fmt::format("has a format ({}) that is read only on request; add --rare-formats, or export it as .glb or .fbx",
                    row->name),
        path.string());
  }
  throw Error(ErrorCode::Unreadable,
              fmt::format("{} and cannot be read; use one of {}", saidExtension(path), readableExtensions(rules)),
              path.string());
}

bool isHiddenOrTemporary(const std::string& name) {
  return name.empty() || name.front() == '.' || name.front() == '~' || name.front() == '#' || name.ends_with('~');
}

/// Readable meshes of a folder in natural order of their names, the rest mesh among them.
std::vector<fs::path> meshesIn(const fs::path& folder, const FileRules& rules) {
  std::vector<fs::path> meshes;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::error_code ignored;
    if (isHiddenOrTemporary(entry->path().filename().string()) || !entry->is_regular_file(ignored)) continue;
    const FormatRow* const row = rowOf(entry->path());
    if (row != nullptr && isReadable(*row, rules) && row->name != kMotionOnly) meshes.push_back(entry->path());
  }
  if (fault) {
    throw Error(ErrorCode::Unreadable, fmt::format("cannot be listed ({}); check its permissions", fault.message()),
                folder.string());
  }
  std::sort(meshes.begin(), meshes.end(), [](const fs::path& a, const fs::path& b) {
    return naturalLess(a.filename().string(), b.filename().string());
  });
  return meshes;
}

bool isRest(const fs::path& path) {
  return lowerCase(path.stem().string()) == "rest";
}

/// A sequence has one format: a character next to its exported poses is not part of it. Ties go to the first format of
/// the table.
void keepCommonestKind(std::vector<fs::path>& meshes) {
  const FormatRow* commonest = nullptr;
  std::ptrdiff_t most = 0;
  for (const FormatRow& row : formats()) {
    const auto count =
        std::count_if(meshes.begin(), meshes.end(), [&](const fs::path& mesh) { return rowOf(mesh) == &row; });
    if (count > most) {
      most = count;
      commonest = &row;
    }
  }
  std::erase_if(meshes, [&](const fs::path& mesh) { return rowOf(mesh) != commonest; });
}

}  // namespace

std::span<const FormatRow> formats() {
  return kFormats;
}

bool isReadable(const FormatRow& row, const FileRules& rules) {
  return row.read != nullptr && (row.kind != FormatKind::Rare || rules.foreign.rareFormats);
}

CharacterFile readCharacter(const fs::path& path, const ReadOptions& options) {
  checkPlainFile(path);
  checkInside(path, options.rules);
  const FormatRow& row = readableRow(path, options.rules);
  try {
    CharacterFile file = row.read(path, options);
    file.format = row.name;
    return file;
  } catch (const Error& error) {
    throw error.in(path.string());
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::Unreadable, "needs more memory than is available; it may be damaged, so export it again",
                path.string());
  }
}

Playback CharacterFile::playback() const {
  if (!poseSpace) return {nullptr, poseSpaceMorphs.morphs};
  return {correctionsOf(*this), poseSpaceMorphs.morphs};
}

DeformerPtr correctionsOf(const CharacterFile& file) {
  if (file.poseSpace->inMorphs)
    return std::make_shared<MorphDrivenSkin>(file.character, *file.poseSpace, file.poseSpaceMorphs);
  return std::make_shared<PoseSpaceDeformer>(file.character, file.poseSpace);
}

LostList writeCharacter(const fs::path& path, const CharacterFile& file, const WriteOptions& options) {
  checkWritable(path);
  report(options.progress, {0, "writing"});
  return writableRow(path).write(path, file, options);
}

LostList writeCharacter(const fs::path& path, const Character& character, const WriteOptions& options) {
  CharacterFile file;
  file.character = character;
  return writeCharacter(path, file, options);
}

LostList writeCharacter(const fs::path& path, const CorrectedCharacter& character, const WriteOptions& options) {
  CharacterFile file;
  file.character = character.character;
  file.poseSpace = character.poseSpace;
  file.poseSpaceMorphs = character.morphs;
  return writeCharacter(path, file, options);
}

void checkWritable(const fs::path& path) {
  writableRow(path);
  checkFolderWritable(path);
}

std::vector<fs::path> meshSequence(const fs::path& fileOrFolder, const FileRules& rules) {
  std::error_code fault;
  if (!fs::exists(fileOrFolder, fault))
    throw Error(ErrorCode::NotFound, "there is no such file or folder; check the path", fileOrFolder.string());
  if (!fs::is_directory(fileOrFolder, fault)) {
    readableRow(fileOrFolder, rules);
    return {fileOrFolder};
  }
  std::vector<fs::path> meshes = meshesIn(fileOrFolder, rules);
  std::erase_if(meshes, isRest);
  keepCommonestKind(meshes);
  if (meshes.empty()) {
    throw Error(ErrorCode::NotFound,
                fmt::format("has no readable meshes; add files with one of {}", readableExtensions(rules)),
                fileOrFolder.string());
  }
  return meshes;
}

std::optional<fs::path> restOfSequence(const fs::path& folder, const FileRules& rules) {
  std::error_code fault;
  if (!fs::is_directory(folder, fault)) return std::nullopt;
  const std::vector<fs::path> meshes = meshesIn(folder, rules);
  const auto rest = std::find_if(meshes.begin(), meshes.end(), isRest);
  if (rest == meshes.end()) return std::nullopt;
  return *rest;
}

}  // namespace sinew
