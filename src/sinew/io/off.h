// Geomview's OFF: OFF, COFF, NOFF and STOFF in text, with comments and polygons.
#pragma once

#include <filesystem>
#include <string>

#include "sinew/io/formats.h"

namespace sinew {

/// Vertices in file order, polygons, normals (N) and texture coordinates (ST) per vertex. Errors name the line.
CharacterFile readOff(const std::filesystem::path& path, const ReadOptions& options = {});

/// With an OFF source of the same faces, its lines come back (colours, comments) with the changed numbers; otherwise
/// points and polygons, with NOFF where there are normals.
LostList writeOff(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options = {});

/// The same from and to memory; `path` names the file in messages and gives the character its name.
CharacterFile parseOff(std::string text, const std::filesystem::path& path, const ReadOptions& options = {});
std::string formatOff(const CharacterFile& file, const WriteOptions& options, LostList& lost);

}  // namespace sinew
