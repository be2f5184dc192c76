// Shapes of one mesh from wherever they come: files, folders, a clip, morph targets, a point cache.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/mesh.h"
#include "sinew/io/file_rules.h"

namespace sinew {

class OutputFiles;

struct MeshSequenceOptions {
  std::string clip = {};        ///< of a character that is the only input: name or index; empty: its first
  double framesPerSecond = 24;  ///< at which a clip is sampled
  Progress progress = {};       ///< called while files are read
  FileRules rules = {};
};

struct MeshSequence {
  Mesh topology;                    ///< the first mesh, with the faces of all; points are those of `rest`, or its own
  std::vector<Points> shapes;       ///< world space, one topology
  std::vector<std::string> names;   ///< of the shapes, all different: file names without extension, or NAME_0001
  std::vector<double> times;        ///< seconds, if the input has them; otherwise empty
  std::optional<Points> rest = {};  ///< `rest` of a folder, or the mesh given with a point cache: not one of the shapes
  std::vector<std::string> notes;   ///< what was taken, a sentence each
};

/// - A file gives its shape at rest in world space; a folder the meshes in it (formats.h: meshSequence).
/// - A single character with clips gives the frames of one; with morph targets alone its rest and each target at 1.
/// - A point cache (.pc2, .mdd) gives its frames, and needs one mesh beside it among the paths for its faces.
/// Throws BadInput if the topology differs (naming the file, the count or the face), NotFound where nothing is
/// there, and the readers' errors.
MeshSequence readMeshes(std::span<const std::filesystem::path> paths, const MeshSequenceOptions& options = {});

/// A point cache if the extension says so, otherwise a folder with an OBJ for each shape. The folder is created if it
/// is missing; its parent must exist. `into` takes the files, which are in place when it commits; null: as soon as all
/// are written.
void writeMeshes(const std::filesystem::path& path, const MeshSequence& sequence, OutputFiles* into = nullptr,
                 const Progress& progress = {});

}  // namespace sinew
