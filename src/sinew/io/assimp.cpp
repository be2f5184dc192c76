// Reading through Assimp 5: only the importer runs, no post-processing, so that polygons and vertex order are kept.
// Every internal failure becomes one Error that names the file.
#include <assimp/config.h>
#include <assimp/scene.h>

#include <assimp/Importer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "sinew/base/check.h"
#include "sinew/io/assimp.h"
#include "sinew/io/assimp/scene.h"
#include "sinew/io/files.h"
#include "sinew/io/text/text_formats.h"
#include "sinew/math/decompositions.h"

namespace sinew::assimp {
namespace {

/// translation * rotation * scale as near as possible; returns whether shear was dropped.
bool decompose(const Affine& affine, LocalTransform& local) {
  local.translation = affine.translation();
  const Mat3 linear = affine.linear();
  local.scale = linear.colwise().norm();
  if (linear.determinant() < 0) local.scale.z() = -local.scale.z();
  Mat3 axes = linear;
  for (int i = 0; i < 3; ++i) {
    if (local.scale[i] != 0) axes.col(i) /= local.scale[i];
  }
  const Svd3 parts = svd3(axes);
  Mat3 rotation = parts.u * parts.v.transpose();
  if (rotation.determinant() < 0) rotation = -rotation;
  local.rotation = Quat(rotation).normalized();
  const double size = linear.norm();
  return (local.parentFromJoint().linear() - linear).norm() > 1e-4 * size;
}

void addNode(const aiNode& node, int parent, AssimpNodes& nodes, std::vector<std::string>& sheared) {
  Joint joint;
  joint.name = node.mName.C_Str();
  joint.parent = parent;
  const Affine parentFromJoint = toAffine(node.mTransformation);
  SINEW_CHECK(parentFromJoint.matrix().allFinite(), "",
              fmt::format("the node '{}' has a value that is not a finite number; export it again", joint.name));
  if (decompose(parentFromJoint, joint.rest)) sheared.push_back(joint.name);
  const int index = static_cast<int>(nodes.joints.size());
  nodes.byName.emplace(joint.name, index);
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const unsigned mesh = node.mMeshes[m];
    SINEW_CHECK(mesh < nodes.meshNode.size(), "",
                fmt::format("the node '{}' places mesh {} of {}", joint.name, mesh, nodes.meshNode.size()));
    if (nodes.meshNode[mesh] < 0) nodes.meshNode[mesh] = index;
    ++nodes.meshPlaces[mesh];
  }
  nodes.joints.push_back(std::move(joint));
}

std::string oneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text.empty() ? "no reason given" : text;
}

std::string lowerExtension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](char c) { return c | 0x20; });
  return extension;
}

CharacterFile convert(const aiScene& scene, const std::filesystem::path& path, const ReadOptions& options) {
  CharacterFile file;
  file.character.name = path.stem().string();
  AssimpNodes nodes = readNodes(scene, file.problems);
  SINEW_CHECK(scene.mNumMeshes > 0 || nodes.joints.size() > 1, "",
              "has neither meshes nor a skeleton; export the character again");
  // The FBX importer reports weight 1 for every morph target, regardless of the file.
  AssimpMeshes meshes(scene, nodes, options, lowerExtension(path) == ".fbx");
  meshes.build(file);
  const Mesh& mesh = file.character.mesh;
  SINEW_CHECK(options.facesOptional || mesh.vertexCount() == 0 || mesh.faces.size() > 0, "",
              text::noFaces(mesh.vertexCount()));
  file.character.clips = readClips(scene, nodes, meshes.firstMorph(), file.problems);
  file.character.skeleton = Skeleton(std::move(nodes.joints));
  checkCharacter(file.character, "");
  return file;
}

}  // namespace
}  // namespace sinew::assimp

namespace sinew {

assimp::AssimpNodes assimp::readNodes(const aiScene& scene, std::vector<std::string>& problems) {
  assimp::AssimpNodes nodes;
  nodes.meshNode.assign(scene.mNumMeshes, -1);
  nodes.meshPlaces.assign(scene.mNumMeshes, 0);
  std::vector<std::string> sheared;
  std::vector<std::pair<const aiNode*, int>> open;
  if (scene.mRootNode != nullptr) open.emplace_back(scene.mRootNode, -1);
  while (!open.empty()) {
    const auto [node, parent] = open.back();
    open.pop_back();
    const int index = static_cast<int>(nodes.joints.size());
    assimp::addNode(*node, parent, nodes, sheared);
    for (unsigned i = node->mNumChildren; i > 0; --i) open.emplace_back(node->mChildren[i - 1], index);
  }
  if (!sheared.empty()) {
    problems.push_back(fmt::format("{} nodes are sheared (first: '{}'); joints do not support shear, so it was dropped",
                                   sheared.size(), sheared.front()));
  }
  return nodes;
}

CharacterFile readAssimp(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string where = path.string();
  // Missing, empty and unreadable files have the same words as in other formats.
  if (checkPlainFile(path) == 0) throw Error(ErrorCode::Unreadable, "is empty; export it again", where);
  try {
    const std::string extension = assimp::lowerExtension(path);
    if (extension == ".ply" || extension == ".stl") assimp::checkNotCutOff(extension, readFile(path, options.progress));
    Assimp::Importer importer;
    importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
    importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
    const aiScene* const scene = importer.ReadFile(where, 0);
    if (scene == nullptr) {
      if (std::string_view(importer.GetErrorString()).find("bad_alloc") != std::string_view::npos)
        throw std::bad_alloc();
      throw Error(ErrorCode::Unreadable,
                  fmt::format("cannot be read ({}); export it again, preferably as .glb",
                              assimp::oneLine(importer.GetErrorString())),
                  where);
    }
    return assimp::convert(*scene, path, options);
  } catch (const Error& error) {
    throw Error(error.code() == ErrorCode::BadInput ? ErrorCode::Unreadable : error.code(), error.message(), where);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& fault) {
    throw Error(ErrorCode::Unreadable,
                fmt::format("cannot be read ({}); export it again, preferably as .glb", assimp::oneLine(fault.what())),
                where);
  } catch (...) {
    throw Error(ErrorCode::Unreadable, "cannot be read (the importer failed); export it again, preferably as .glb",
                where);
  }
}

}  // namespace sinew
