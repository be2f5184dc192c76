// The characters of the benchmark, and every variant of deforming them.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/pack/skin.h"
#include "sinew/play/aligned.h"
#include "sinew/samples/samples.h"
#include "skinning_peers.h"

namespace sinew::bench {

struct MeasuredSkin {
  Points rest;
  Points normals;
  SkinWeights weights;
  std::vector<Affine> worldFromRest;
};

/// The biped with its own weights, at most 4 per vertex, every joint turned by up to 0.6 radians.
inline MeasuredSkin biped(Index vertices) {
  Sample sample = makeSample("biped", {.vertices = vertices});
  const Character& character = sample.character;
  MeasuredSkin result;
  result.rest = character.mesh.points;
  computeNormals(result.rest, triangulate(character.mesh), result.normals);
  result.weights = character.skin.weights.limited(kPeerInfluences);
  Pose pose = restPose(character);
  Lcg random(1);
  for (LocalTransform& local : pose.local) {
    const double angle = 0.6 * random.symmetric();
    local.rotation = local.rotation * Quat(Eigen::AngleAxisd(angle, random.vector().normalized()));
  }
  PosedJoints joints;
  poseJoints(character, pose, joints);
  result.worldFromRest = joints.worldFromRest;
  return result;
}

/// Points along a chain of joints in random order; each follows the `influences` nearest.
inline MeasuredSkin chain(Index vertices, std::size_t joints, int influences) {
  MeasuredSkin result;
  result.rest.resize(3, vertices);
  result.normals.resize(3, vertices);
  Lcg random(2);
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> all;
  for (Index v = 0; v < vertices; ++v) {
    const double place = random.uniform() * static_cast<double>(joints - 1);
    result.rest.col(v) = Vec3(place, 0.2 * random.symmetric(), 0.2 * random.symmetric());
    result.normals.col(v) = random.vector().normalized();
    const double left = place - 0.5 * (influences - 1);
    const auto first = static_cast<std::size_t>(
        std::clamp(std::round(left), 0.0, static_cast<double>(joints) - static_cast<double>(influences)));
    double sum = 0;
    for (int j = 0; j < influences; ++j) {
      const auto joint = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(j);
      all.push_back({joint, 0.01 + std::exp(-std::pow(place - joint, 2))});
      sum += all.back().weight;
    }
    for (auto it = all.end() - influences; it != all.end(); ++it) it->weight /= sum;
    offsets.push_back(static_cast<std::uint32_t>(all.size()));
  }
  result.weights = SkinWeights(joints, std::move(offsets), std::move(all));
  for (std::size_t j = 0; j < joints; ++j) {
    Affine motion = Affine::Identity();
    motion.linear() = Eigen::AngleAxisd(0.6 * random.symmetric(), random.vector().normalized()).toRotationMatrix();
    motion.translation() = 0.3 * random.vector();
    result.worldFromRest.push_back(motion);
  }
  return result;
}

/// Every vertex follows 4 joints at random: no two can share a loop.
inline MeasuredSkin scattered(Index vertices, std::size_t joints) {
  MeasuredSkin result = chain(vertices, joints, kPeerInfluences);
  Lcg random(3);
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < vertices; ++v) {
    std::vector<Influence> column;
    for (int j = 0; j < kPeerInfluences; ++j) {
      const double slice = static_cast<double>(joints) / kPeerInfluences;
      column.push_back({static_cast<std::uint32_t>(slice * (j + random.uniform())), 0.25});
    }
    columns.push_back(std::move(column));
  }
  result.weights = SkinWeights::fromColumns(joints, columns);
  return result;
}

/// One way to move a skin, ready to be called. Kinds of one peer carry its name before a slash: the best one counts.
struct Way {
  std::string name;
  std::function<void()> run;
};

/// Memory and palettes of one character, and the ways to move it. Not copied: the ways refer to it.
class Stage {
 public:
  explicit Stage(const MeasuredSkin& skin)
      : vertices(static_cast<std::size_t>(skin.rest.cols())),
        packed(packSkin(skin.rest, skin.normals, skin.weights)),
        traffic(packed),
        plain(skin.rest, skin.weights.limited(kPeerInfluences)),
        matrices(skin.worldFromRest.size() * play::kMatrixFloats),
        duals(skin.worldFromRest.size() * play::kDualQuaternionFloats),
        positions(3 * packed.placeCount()),
        normals(positions.size()),
        packedNormals(positions.size() / 3),
        original(3 * vertices + 1) {
    packMatrices(skin.worldFromRest, matrices);
    packDualQuaternions(skin.worldFromRest, duals);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  std::vector<Way> ways() {
    std::vector<Way> result = packedWays();
    result.push_back({"plain/points", [this] { plainLoop(plain, matrices.data(), original.data()); }});
    result.push_back({"plain/matrix", [this] { plainMatrixLoop(plain, matrices.data(), original.data()); }});
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      for (const bool streamed : {false, true}) {
        result.push_back({streamed ? "traffic/256 streamed" : "traffic/256",
                          [this, streamed] { traffic256(traffic, streamed, positions.data()); }});
        result.push_back(
            {streamed ? "traffic, packed normals/streamed" : "traffic, packed normals/cached", [this, streamed] {
               traffic256(traffic, streamed, positions.data());
               trafficNormals(traffic, streamed, packedNormals.data());
             }});
      }
      result.push_back({"columns/128", [this] { columns128(plain, matrices.data(), original.data()); }});
      result.push_back({"columns/256", [this] { columns256(plain, matrices.data(), original.data()); }});
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
      for (const bool streamed : {false, true}) {
        result.push_back({streamed ? "traffic/512 streamed" : "traffic/512",
                          [this, streamed] { traffic512(traffic, streamed, positions.data()); }});
      }
      result.push_back({"columns/512", [this] { columns512(plain, matrices.data(), original.data()); }});
    }
#endif
    return result;
  }

  /// Without the peers.
  std::vector<Way> packedWays() {
    return {
        {"packed", [this] { linear({positions}); }},
        {"packed, original order",
         [this] {
           linear({std::span(original).first(3 * vertices), {}, {}, play::VertexOrder::Original});
         }},
        {"packed, packed normals",
         [this] {
           linear({positions, {}, packedNormals});
         }},
        {"packed, float normals",
         [this] {
           linear({positions, normals});
         }},
        {"packed, dual quaternion", [this] { dual({positions}); }},
        {"packed, dual quaternion, packed normals",
         [this] {
           dual({positions, {}, packedNormals});
         }},
    };
  }

  std::size_t vertices;
  play::PackedSkin packed;
  Traffic traffic;
  PlainSkin plain;
  std::vector<float> matrices;
  std::vector<float> duals;
  play::AlignedFloats positions;
  play::AlignedFloats normals;
  std::vector<std::uint32_t, play::LineAllocator<std::uint32_t>> packedNormals;
  play::AlignedFloats original;

 private:
  void linear(const play::SkinOutput& output) {
    playOnThreads(play::linearCall(packed, matrices, output));
  }
  void dual(const play::SkinOutput& output) {
    playOnThreads(play::dualQuaternionCall(packed, duals, output));
  }
};

}  // namespace sinew::bench
