// Any bytes: reading gives a character or an Error, never a crash; what was read can be written and read again.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "sinew/base/error.h"
#include "sinew/io/gltf.h"

namespace {

/// A folder that does not exist: no URI of a hostile file can name anything.
const std::filesystem::path kNowhere = "a folder that does not exist";

/// What Sinew writes, Sinew must read.
void readBack(const std::string& bytes) {
  try {
    sinew::readGltfFromMemory(bytes, kNowhere, "fuzz");
  } catch (const sinew::Error& error) {
    throw std::logic_error(error.what());
  }
}

void readAndWrite(const std::string& bytes, bool tolerant) {
  try {
    const sinew::CharacterFile file = sinew::readGltfFromMemory(bytes, kNowhere, "fuzz", {.tolerant = tolerant});
    for (const char* name : {"fuzz.glb", "fuzz.gltf"}) sinew::gltfToMemory(kNowhere / name, file);
    // A second way to write: as if the character had been made by code.
    sinew::CharacterFile fresh;
    fresh.character = file.character;
    fresh.reduced = file.reduced;
    fresh.poses = file.poses;
    const sinew::GltfFiles written =
        sinew::gltfToMemory(kNowhere / "fuzz.glb", fresh, {.weights = sinew::WeightFormat::Bits8});
    readBack(written.files.front().second);
  } catch (const sinew::Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  readAndWrite(bytes, false);
  readAndWrite(bytes, true);
  return 0;
}
