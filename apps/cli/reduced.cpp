#include "reduced.h"

#include <fmt/format.h>

#include <filesystem>

#include "console.h"
#include "sinew/base/error.h"
#include "sinew/character/turned_normals.h"
#include "sinew/learn/reduced_proxies.h"

namespace sinew::cli {

ReducedFile readReducedFile(const std::string& path, const Console& console) {
  ReducedFile read;
  read.file = readCharacter(path, console.reading());
  read.model = read.file.reduced;
  if (!read.model) {
    std::string why;
    for (const std::string& problem : read.file.problems) why += " " + problem;
    throw Error(ErrorCode::BadInput,
                fmt::format("has no reduced model; make one with sinew reduce MESHES -o MODEL.glb{}", why), path);
  }
  read.triangles = triangulate(read.file.character.mesh);
  return read;
}

std::shared_ptr<const ReducedModel> withAllVertices(const ReducedFile& read, Index most) {
  auto full = std::make_shared<ReducedModel>(*read.model);
  full->proxies = vertexProxies(full->rest, read.triangles, full->weights, nullptr, most);
  return full;
}

Points exampleShape(const ReducedModel& model, std::size_t example) {
  Points shape(3, model.rest.cols());
  deformReduced(model, model.controls[example], shape);
  return shape;
}

LostList writePosed(const std::string& path, const CharacterFile& file, const Points& points, const Console& console) {
  CharacterFile mesh;
  mesh.character.name = file.character.name;
  mesh.character.mesh = file.character.mesh;
  mesh.character.mesh.normals = turnedNormals(file.character.mesh, points);
  mesh.character.mesh.points = points;
  for (MeshPart& part : mesh.character.mesh.parts) {
    part.skinned = false;
    part.node = -1;
  }
  return writeCharacter(path, mesh, console.writing());
}

}  // namespace sinew::cli
