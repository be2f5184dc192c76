// Small glTF files made in tests, with access to the JSON and the bytes to plant any fault.
#pragma once

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/io/gltf.h"

namespace sinew::test {

using Json = nlohmann::ordered_json;

template <class T>
constexpr int kComponentType = 5126;
template <>
inline constexpr int kComponentType<std::int8_t> = 5120;
template <>
inline constexpr int kComponentType<std::uint8_t> = 5121;
template <>
inline constexpr int kComponentType<std::int16_t> = 5122;
template <>
inline constexpr int kComponentType<std::uint16_t> = 5123;
template <>
inline constexpr int kComponentType<std::uint32_t> = 5125;

struct GltfSketch {
  Json json = {{"asset", {{"version", "2.0"}}}};
  std::string bin;

  std::size_t view(std::string_view bytes) {
    bin.append((4 - bin.size() % 4) % 4, '\0');
    json["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", bin.size()}, {"byteLength", bytes.size()}});
    bin.append(bytes);
    return json["bufferViews"].size() - 1;
  }
  template <class T>
  std::size_t view(const std::vector<T>& numbers) {
    return view(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)));
  }
  /// Adds an accessor with a view of its own and returns its number.
  template <class T>
  std::size_t add(const std::vector<T>& numbers, const std::string& type, bool normalized = false) {
    const std::size_t components = type == "SCALAR" ? 1 : type == "MAT4" ? 16 : static_cast<std::size_t>(type[3] - '0');
    Json accessor = {{"bufferView", view(numbers)},
                     {"componentType", kComponentType<T>},
                     {"count", numbers.size() / components},
                     {"type", type}};
    if (normalized) accessor["normalized"] = true;
    json["accessors"].push_back(accessor);
    return json["accessors"].size() - 1;
  }

  /// Overwrites a number in the bytes of an accessor.
  template <class T>
  void poke(std::size_t accessor, std::size_t place, T number) {
    const std::size_t at = json["accessors"][accessor]["bufferView"];
    const std::size_t start = json["bufferViews"][at]["byteOffset"];
    std::memcpy(bin.data() + start + place * sizeof(T), &number, sizeof(T));
  }

  [[nodiscard]] std::string glb() const {
    Json full = json;
    if (!bin.empty()) full["buffers"] = {{{"byteLength", bin.size()}}};
    return glbOf(full.dump(), bin);
  }
  static std::string glbOf(std::string text, std::string binary) {
    text.append((4 - text.size() % 4) % 4, ' ');
    binary.append((4 - binary.size() % 4) % 4, '\0');
    std::string body = word(text.size()) + "JSON" + text;
    if (!binary.empty()) body += word(binary.size()) + std::string("BIN\0", 4) + binary;
    return "glTF" + word(2) + word(body.size() + 12) + body;
  }
  static std::string word(std::size_t number) {
    std::string bytes(4, '\0');
    for (std::size_t k = 0; k < 4; ++k) bytes[k] = static_cast<char>(number >> (8 * k) & 0xffu);
    return bytes;
  }

  [[nodiscard]] CharacterFile read(bool tolerant = false) const {
    return readGltfFromMemory(glb(), {}, "sketch", {.tolerant = tolerant});
  }
  [[nodiscard]] Json& primitive() { return json["meshes"][0]["primitives"][0]; }
};

/// The JSON and the buffer of a .glb made by the writer (one JSON chunk, at most one BIN chunk).
inline GltfSketch opened(const std::string& glb) {
  GltfSketch sketch;
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, 4);
  sketch.json = Json::parse(glb.substr(20, length));
  if (20 + length < glb.size()) sketch.bin = glb.substr(28 + length);
  return sketch;
}

/// The bytes of the file after writing it again.
inline std::string rewritten(const CharacterFile& file) {
  return gltfToMemory("out.glb", file).files.front().second;
}

/// A square of four vertices in the xy plane on two joints: node 0 `hip` at the origin with child 1 `knee` at (0, 1,
/// 0); node 2 places the mesh. The lower two vertices follow hip, the upper two knee. Accessors: 0 POSITION, 1
/// JOINTS_0, 2 WEIGHTS_0, 3 indices, 4 inverse bind matrices.
inline GltfSketch skinnedSquare() {
  GltfSketch s;
  s.add<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, "VEC3");
  s.json["accessors"][0]["min"] = {0, 0, 0};
  s.json["accessors"][0]["max"] = {1, 1, 0};
  s.add<std::uint8_t>({0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4");
  s.add<float>({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4");
  s.add<std::uint16_t>({0, 1, 2, 2, 1, 3}, "SCALAR");
  s.add<float>({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1},
               "MAT4");
  s.json["nodes"] = Json::parse(R"([{"name": "hip", "children": [1]}, {"name": "knee", "translation": [0, 1, 0]},
                                    {"name": "square", "mesh": 0, "skin": 0}])");
  s.json["meshes"] = Json::parse(
      R"([{"name": "square", "primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}])");
  s.json["skins"] = Json::parse(R"([{"joints": [0, 1], "inverseBindMatrices": 4}])");
  s.json["scenes"] = Json::parse(R"([{"nodes": [0, 2]}])");
  s.json["scene"] = 0;
  return s;
}

}  // namespace sinew::test
