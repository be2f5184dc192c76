// Wavefront OBJ. What is read is put back: comments, groups, materials, texture and normal indices, quads and n-gons.
#pragma once

#include <filesystem>
#include <string>

#include "sinew/io/formats.h"

namespace sinew {

/// Vertices in file order (also unused ones), polygons, texture coordinates per corner; one part named after the file;
/// normals where every vertex has exactly one. Errors name the line.
CharacterFile readObj(const std::filesystem::path& path, const ReadOptions& options = {});

/// With an OBJ source of the same faces, its lines come back and only changed positions (and the normals that follow)
/// are written again. Numbers read back as the same doubles.
LostList writeObj(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options = {});

/// The same from and to memory. `path` is the file name for messages, the name of the character, and the folder of the
/// material files.
CharacterFile parseObj(std::string text, const std::filesystem::path& path, const ReadOptions& options = {});
std::string formatObj(const CharacterFile& file, const WriteOptions& options, LostList& lost);

/// A plain OBJ of one mesh: vertices, texture coordinates, normals, and the faces of each part under its name.
std::string formatObj(const Mesh& mesh);

}  // namespace sinew
