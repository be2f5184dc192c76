// The registry: what each extension means, and how files of a folder are listed.
#include "sinew/io/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/assimp.h"
#include "sinew/io/files.h"
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
    {"FBX", kFbx, readAssimp, nullptr},
    {"Collada", kCollada, readAssimp, nullptr},
    {"DirectX", kDirectX, readAssimp, nullptr},
    {kMotionOnly, kBiovision, readAssimp, nullptr},
    {"Blitz3D", kBlitz, readAssimp, nullptr},
    {"MilkShape 3D", kMilkShape, readAssimp, nullptr},
    {"Doom 3", kDoom, readAssimp, nullptr},
    {"Valve", kValve, readAssimp, nullptr},
    {"3D Studio", k3dStudio, readAssimp, nullptr},
    {"LightWave", kLightWave, readAssimp, nullptr},
    {"PLY", kPly, readAssimp, nullptr},
    {"STL", kStl, readAssimp, nullptr},
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

/// The extensions that can be read, or those that can be written.
std::string listExtensions(bool writable) {
  std::vector<std::string_view> list;
  for (const FormatRow& row : kFormats) {
    if (writable ? row.write != nullptr : row.read != nullptr)
      list.insert(list.end(), row.extensions.begin(), row.extensions.end());
  }
  return fmt::format("{}", fmt::join(list, ", "));
}

[[noreturn]] void refuseExtension(const fs::path& path, bool writable) {
  const std::string extension = path.extension().string();
  throw Error(writable ? ErrorCode::Unwritable : ErrorCode::Unreadable,
              fmt::format("{} and cannot be {}; use one of {}",
                          extension.empty() ? "has no extension" : fmt::format("has the extension '{}'", extension),
                          writable ? "written" : "read", listExtensions(writable)),
              path.string());
}

const FormatRow& writableRow(const fs::path& path) {
  const FormatRow* const row = rowOf(path);
  if (row == nullptr || row->write == nullptr) refuseExtension(path, true);
  return *row;
}

bool isHiddenOrTemporary(const std::string& name) {
  return name.empty() || name.front() == '.' || name.front() == '~' || name.front() == '#' || name.ends_with('~');
}

/// Readable meshes of a folder in natural order of their names, the rest mesh among them.
std::vector<fs::path> meshesIn(const fs::path& folder) {
  std::vector<fs::path> meshes;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::error_code ignored;
    if (isHiddenOrTemporary(entry->path().filename().string()) || !entry->is_regular_file(ignored)) continue;
    const FormatRow* const row = rowOf(entry->path());
    if (row != nullptr && row->read != nullptr && row->name != kMotionOnly) meshes.push_back(entry->path());
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

/// A sequence is of one kind: a character beside its exported poses is not one of them. Ties go to the first kind of
/// the registry.
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

CharacterFile readCharacter(const fs::path& path, const ReadOptions& options) {
  std::error_code fault;
  if (!fs::exists(path, fault))
    throw Error(ErrorCode::NotFound, "there is no such file; check the path", path.string());
  if (fs::is_directory(path, fault))
    throw Error(ErrorCode::Unreadable, "is a folder; name a file in it", path.string());
  const FormatRow* const row = rowOf(path);
  if (row == nullptr || row->read == nullptr) refuseExtension(path, false);
  try {
    CharacterFile file = row->read(path, options);
    file.format = row->name;
    return file;
  } catch (const Error& error) {
    throw error.in(path.string());
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::Unreadable, "needs more memory than there is; it may be damaged, so export it again",
                path.string());
  }
}

LostList writeCharacter(const fs::path& path, const CharacterFile& file, const WriteOptions& options) {
  checkWritable(path);
  report(options.progress, {0, "writing"});
  return writableRow(path).write(path, file, options);
}

void checkWritable(const fs::path& path) {
  writableRow(path);
  checkFolderWritable(path);
}

std::vector<fs::path> meshSequence(const fs::path& fileOrFolder) {
  std::error_code fault;
  if (!fs::exists(fileOrFolder, fault))
    throw Error(ErrorCode::NotFound, "there is no such file or folder; check the path", fileOrFolder.string());
  if (!fs::is_directory(fileOrFolder, fault)) {
    const FormatRow* const row = rowOf(fileOrFolder);
    if (row == nullptr || row->read == nullptr) refuseExtension(fileOrFolder, false);
    return {fileOrFolder};
  }
  std::vector<fs::path> meshes = meshesIn(fileOrFolder);
  std::erase_if(meshes, isRest);
  keepCommonestKind(meshes);
  if (meshes.empty()) {
    throw Error(ErrorCode::NotFound,
                fmt::format("has no meshes that can be read; put files there with one of {}", listExtensions(false)),
                fileOrFolder.string());
  }
  return meshes;
}

std::optional<fs::path> restOfSequence(const fs::path& folder) {
  std::error_code fault;
  if (!fs::is_directory(folder, fault)) return std::nullopt;
  const std::vector<fs::path> meshes = meshesIn(folder);
  const auto rest = std::find_if(meshes.begin(), meshes.end(), isRest);
  if (rest == meshes.end()) return std::nullopt;
  return *rest;
}

}  // namespace sinew
