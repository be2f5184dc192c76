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

WrittenFile writtenInMemory(const fs::path& scratch, const Prepared& prepared) {
  WrittenFile file;
  if (isGltf(scratch)) {
    const GltfFiles packed = gltfToMemory(scratch, prepared.file, prepared.writing);
    file.lost = packed.lost;
    file.bytes = bytesOf(packed);
    // The buffers of a .gltf are on disk only; a .glb has them inside.
    fs::path whole = scratch;
    const GltfFiles glb = gltfToMemory(whole.replace_extension(".glb"), prepared.file, prepared.writing);
    file.read = readGltfFromMemory(glb.files.front().second, scratch.parent_path(), scratch.stem().string());
    return file;
  }
  struct Removed {
    const fs::path& path;
    ~Removed() {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  } const removed{scratch};
  file.lost = writeCharacter(scratch, prepared.file, prepared.writing);
  file.bytes = static_cast<double>(fs::file_size(scratch));
  file.read = readCharacter(scratch);
  return file;
}

WrittenFile writeNow(const fs::path& path, const Prepared& prepared, const WriteRequest& request) {
  WrittenFile file;
  OutputFiles outputs;
  WriteOptions writing = prepared.writing;
  writing.into = &outputs;
  writing.progress = partProgress(request.progress, 0, 0.8);
  if (isGltf(path)) {
    report(writing.progress, {0, "writing"});
    const GltfFiles packed = gltfToMemory(path, prepared.file, writing);
    file.lost = packed.lost;
    file.bytes = bytesOf(packed);
    writeGltfFiles(packed, &outputs);
  } else {
    file.lost = writeCharacter(path, prepared.file, writing);
  }
  report(request.progress, {0.8, "writing"});  // the last moment to cancel
  std::error_code fault;
  if (!request.replace && fs::exists(fs::symlink_status(path, fault)))
    throw Error(ErrorCode::Unwritable, "was made by another program meanwhile; choose another name", path.string());
  outputs.commit();
  file.read = readCharacter(path, {.rules = request.rules});
  if (!isGltf(path)) file.bytes = static_cast<double>(fs::file_size(path));
  return file;
}

}  // namespace sinew::studio::exporting
