#include "sinew/play/skinning.h"

#include <algorithm>
#include <cmath>

#include "sinew/play/aligned.h"
#include "sinew/play/kernels/kernels.h"
#include "sinew/play/packing/refuse.h"

namespace sinew::play {
namespace {

/// Outputs of more bytes than this do not stay in a core's own cache until someone reads them.
constexpr std::size_t kStreamBytes = std::size_t{4} << 20;

void checkOutput(const char* where, const PackedSkin& skin, const SkinOutput& output) {
  const bool packed = output.order == VertexOrder::Packed;
  const std::size_t count = packed ? skin.placeCount() : skin.vertexCount();
  const char* what = packed ? " places in packed order" : " vertices";
  require(output.positions.size() == 3 * count, where, "the positions have room for ", output.positions.size(),
          " floats, ", count, what, " need ", 3 * count);
  require(output.normals.empty() || output.packedNormals.empty(), where,
          "normals are asked for in both forms; give one span of the two");
  require(output.normals.empty() || output.normals.size() == 3 * count, where, "the normals have room for ",
          output.normals.size(), " floats, ", count, what, " need ", 3 * count);
  require(output.packedNormals.empty() || output.packedNormals.size() == count, where, "there is room for ",
          output.packedNormals.size(), " packed normals of ", count, what);
  require((output.normals.empty() && output.packedNormals.empty()) || skin.hasNormals(), where,
          "normals are asked for, but the skin was packed without; pack it with normals");
}

void checkPalette(const char* where, std::size_t joints, std::span<const float> palette, std::size_t floatsPerJoint) {
  const std::size_t wanted = joints * floatsPerJoint;
  require(palette.size() == wanted, where, "the palette has ", palette.size(), " floats, ", joints, " joints need ",
          wanted);
  const auto bad = std::find_if(palette.begin(), palette.end(), [](float value) { return !std::isfinite(value); });
  require(bad == palette.end(), where, "the transform of joint ",
          static_cast<std::size_t>(bad - palette.begin()) / floatsPerJoint, " has a value that is not a finite number");
}

template <class T>
bool startsALine(std::span<T> span) {
  return reinterpret_cast<std::uintptr_t>(span.data()) % kLineBytes == 0;
}

bool streams(const char* where, const SkinOutput& output) {
  const bool possible = output.order == VertexOrder::Packed && startsALine(output.positions) &&
                        startsALine(output.normals) && startsALine(output.packedNormals);
  require(possible || output.stores != Stores::Streamed, where,
          "streamed stores need the packed order and outputs aligned to 64 bytes");
  if (output.stores != Stores::Auto) return output.stores == Stores::Streamed;
  return possible && output.positions.size_bytes() >= kStreamBytes;
}

}  // namespace

kernels::SkinJob kernels::skinJob(const PackedLayout& layout, std::span<const float> palette, const SkinOutput& output,
                                  bool streamed) {
  SkinJob job;
  job.layout = &layout;
  job.palette = palette.data();
  job.positions = output.positions.data();
  if (!output.normals.empty()) job.normals = output.normals.data();
  if (!output.packedNormals.empty()) job.packedNormals = output.packedNormals.data();
  job.originalOrder = output.order == VertexOrder::Original;
  job.streamed = streamed;
  return job;
}

SkinCall::SkinCall(const char* where, const PackedSkin& skin, bool dualQuaternions, std::span<const float> palette,
                   const SkinOutput& output)
    : layout_(&skin.layout()), palette_(palette), output_(output), dualQuaternions_(dualQuaternions) {
  checkPalette(where, skin.jointCount(), palette, dualQuaternions ? kDualQuaternionFloats : kMatrixFloats);
  checkOutput(where, skin, output);
  streamed_ = streams(where, output);
}

std::uint32_t SkinCall::blockCount() const {
  return layout_->blockCount;
}

void SkinCall::run(std::uint32_t first, std::uint32_t end) const {
  require(first <= end && end <= blockCount(), "skin call", "blocks ", first, " to ", end, " are asked for; there are ",
          blockCount());
  if (first == end) return;
  const kernels::SkinJob job = kernels::skinJob(*layout_, palette_, output_, streamed_);
  (dualQuaternions_ ? kernels::dualQuaternionBlocks : kernels::linearBlocks)(job, first, end);
}

SkinCall linearCall(const PackedSkin& skin, std::span<const float> matrices, const SkinOutput& output) {
  return {"skinLinear", skin, false, matrices, output};
}

SkinCall dualQuaternionCall(const PackedSkin& skin, std::span<const float> dualQuaternions, const SkinOutput& output) {
  return {"skinDualQuaternion", skin, true, dualQuaternions, output};
}

std::array<float, 3> unpackNormal(std::uint32_t packed) {
  std::array<float, 3> normal{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto bits = static_cast<int>((packed >> (10 * c)) & 0x3ffu);
    normal[c] = static_cast<float>(bits >= 512 ? bits - 1024 : bits) / 511.0f;
  }
  return normal;
}

}  // namespace sinew::play
