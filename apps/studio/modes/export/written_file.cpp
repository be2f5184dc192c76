#include "studio/modes/export/written_file.h"

#include <fmt/format.h>

#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"

namespace sinew::studio::exporting {
namespace {

namespace fs = std::filesystem;

double bytesOf(const GltfFiles& packed) {
  double bytes = 0;
  for (const auto& [path, content] : packed.files) bytes += static_cast<double>(content.size());
  return bytes;
}

}  // namespace

FileInMemory writtenInMemory(const fs::path& scratch, const Prepared& prepared) {
  FileInMemory made;
  if (isGltf(scratch)) {
    const GltfFiles packed = gltfToMemory(scratch, prepared.file, prepared.writing);
    made.file = {packed.lost, bytesOf(packed)};
    // The buffers of a .gltf are on disk only; a .glb has them inside.
    fs::path whole = scratch;
    const GltfFiles glb = gltfToMemory(whole.replace_extension(".glb"), prepared.file, prepared.writing);
    made.read = readGltfFromMemory(glb.files.front().second, scratch.parent_path(), scratch.stem().string());
    return made;
  }
  struct Removed {
    const fs::path& path;
    ~Removed() {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  } const removed{scratch};
  made.file.lost = writeCharacter(scratch, prepared.file, prepared.writing);
  made.file.bytes = static_cast<double>(fs::file_size(scratch));
  made.read = readCharacter(scratch);
  return made;
}

WrittenFile writeNow(const fs::path& path, const Prepared& prepared, bool replace, const sinew::Progress& progress) {
  WrittenFile file;
  OutputFiles outputs;
  WriteOptions writing = prepared.writing;
  writing.into = &outputs;
  writing.progress = partProgress(progress, 0, 0.8);
  if (isGltf(path)) {
    report(writing.progress, {0, "writing"});
    const GltfFiles packed = gltfToMemory(path, prepared.file, writing);
    file = {packed.lost, bytesOf(packed)};
    writeGltfFiles(packed, &outputs);
  } else {
    file.lost = writeCharacter(path, prepared.file, writing);
  }
  report(progress, {0.8, "writing"});  // the last moment to cancel
  std::error_code fault;
  if (!replace && fs::exists(fs::symlink_status(path, fault)))
    throw Error(ErrorCode::Unwritable, "was made by another program meanwhile; choose another name", path.string());
  outputs.commit();
  // The file is complete: a size that cannot be read is no fault.
  if (const auto bytes = fs::file_size(path, fault); !isGltf(path) && !fault) file.bytes = static_cast<double>(bytes);
  return file;
}

}  // namespace sinew::studio::exporting
