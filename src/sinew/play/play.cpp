#include "sinew/play/play.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <vector>

#include "sinew/play/correctives.h"
#include "sinew/play/packing/layout.h"
#include "sinew/play/packing/refuse.h"

struct SinewPlayCharacter {
  sinew::play::PackedCorrectives packed;
};

namespace {

using namespace sinew::play;

void say(const char* text, SinewPlayMessage* message) {
  if (message == nullptr) return;
  std::strncpy(message->text, text, sizeof(message->text) - 1);
  message->text[sizeof(message->text) - 1] = '\0';
}

/// Runs `body`; what it throws becomes a status and a message.
template <class Body>
SinewPlayStatus guarded(SinewPlayMessage* message, const Body& body) {
  try {
    body();
    say("", message);
    return SinewPlayOk;
  } catch (const std::bad_alloc&) {
    say("there is not enough memory", message);
    return SinewPlayOutOfMemory;
  } catch (const std::exception& error) {
    say(error.what(), message);
    return SinewPlayBadInput;
  }
}

template <class T>
std::span<T> spanOf(const char* where, const char* what, T* first, std::size_t count) {
  require(first != nullptr || count == 0, where, what, " is null");
  return {first, count};
}

SinewPlayCharacter* make(const SinewPlayMesh& mesh) {
  constexpr const char* kWhere = "sinewPlayCreate";
  const std::size_t numbers = std::size_t{3} * mesh.vertexCount;
  const std::size_t influences = std::size_t{mesh.vertexCount} * mesh.influencesPerVertex;
  SkinArrays<float> skin;
  skin.positions = spanOf(kWhere, "positions", mesh.positions, numbers);
  if (mesh.normals != nullptr) skin.normals = {mesh.normals, numbers};
  skin.jointCount = mesh.jointCount;
  skin.joints = spanOf(kWhere, "joints", mesh.joints, influences);
  skin.weights = spanOf(kWhere, "weights", mesh.weights, influences);
  std::vector<std::span<const float>> shapes;
  for (const float* deltas : spanOf(kWhere, "shapes", mesh.shapes, mesh.shapeCount)) {
    shapes.push_back(spanOf(kWhere, "a shape", deltas, numbers));
  }
  CorrectiveArrays<float> correctives;
  correctives.before = shapes;
  return new SinewPlayCharacter{PackedCorrectives(skin, correctives)};
}

void skin(const PackedCorrectives& packed, const SinewPlayFrame& frame, std::uint32_t first, std::uint32_t end) {
  constexpr const char* kWhere = "sinewPlaySkin";
  const std::size_t numbers = 3 * packed.skin().vertexCount();
  SkinOutput output;
  output.order = VertexOrder::Original;
  output.positions = spanOf(kWhere, "positions", frame.positions, numbers);
  if (frame.normals != nullptr) output.normals = {frame.normals, numbers};
  const std::span<const float> matrices =
      spanOf(kWhere, "matrices", frame.matrices, packed.skin().jointCount() * kMatrixFloats);
  CorrectiveFrame corrections;
  corrections.weights = spanOf(kWhere, "shapeWeights", frame.shapeWeights, packed.shapeCount());
  packed.call(matrices, corrections, output).run(first, end);
}

}  // namespace

SinewPlayStatus sinewPlayCreate(const SinewPlayMesh* mesh, SinewPlayCharacter** character, SinewPlayMessage* message) {
  return guarded(message, [&] {
    require(character != nullptr, "sinewPlayCreate", "character is null");
    *character = nullptr;
    require(mesh != nullptr, "sinewPlayCreate", "mesh is null");
    *character = make(*mesh);
  });
}

void sinewPlayDestroy(SinewPlayCharacter* character) {
  delete character;
}

uint32_t sinewPlayBlockCount(const SinewPlayCharacter* character) {
  if (character == nullptr) return 0;
  return static_cast<uint32_t>(character->packed.skin().placeCount() / kBlockLanes);
}

SinewPlayStatus sinewPlaySkin(const SinewPlayCharacter* character, const SinewPlayFrame* frame, uint32_t firstBlock,
                              uint32_t endBlock, SinewPlayMessage* message) {
  return guarded(message, [&] {
    require(character != nullptr && frame != nullptr, "sinewPlaySkin",
            character == nullptr ? "character is null" : "frame is null");
    skin(character->packed, *frame, firstBlock, endBlock);
  });
}
