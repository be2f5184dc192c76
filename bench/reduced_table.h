// The table of reduced models: posing by proxies, by all vertices and by all triangles, in one run.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "sinew/base/parallel.h"
#include "sinew/character/compare.h"
#include "sinew/io/mesh_sequence.h"
#include "sinew/learn/decompose.h"
#include "sinew/learn/reduced_proxies.h"
#include "sinew/manipulate/mesh_ik.h"
#include "sinew/manipulate/reduced_ik.h"
#include "sinew/pack/skin.h"
#include "sinew/play/aligned.h"
#include "sinew/samples/samples.h"
#include "skinning_cases.h"

namespace sinew::bench {

inline double medianOf(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

template <class Work>
double secondsOf(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Each the farthest along the edges from those before: the ends of limbs come first.
inline std::vector<Index> endsOf(const Points& rest, const std::vector<Triangle>& triangles, std::size_t count) {
  std::vector<std::vector<Index>> near(static_cast<std::size_t>(rest.cols()));
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) near[t[k]].push_back(t[(k + 1) % 3]);
  }
  std::vector<double> distance(near.size(), std::numeric_limits<double>::infinity());
  std::vector<Index> chosen;
  Index next = 0;
  using Entry = std::pair<double, Index>;
  for (bool first = true; chosen.size() < count; first = false) {
    if (!first) chosen.push_back(next);  // vertex 0 is only where the search begins
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.emplace(0, next);
    if (chosen.size() == 1) std::fill(distance.begin(), distance.end(), std::numeric_limits<double>::infinity());
    distance[static_cast<std::size_t>(next)] = 0;
    while (!queue.empty()) {
      const auto [length, v] = queue.top();
      queue.pop();
      if (length > distance[static_cast<std::size_t>(v)]) continue;
      for (const Index w : near[static_cast<std::size_t>(v)]) {
        const double longer = length + (rest.col(v) - rest.col(w)).norm();
        if (longer >= distance[static_cast<std::size_t>(w)]) continue;
        distance[static_cast<std::size_t>(w)] = longer;
        queue.emplace(longer, w);
      }
    }
    double farthest = -1;
    for (std::size_t v = 0; v < distance.size(); ++v) {
      if (distance[v] <= farthest || std::isinf(distance[v])) continue;
      farthest = distance[v];
      next = static_cast<Index>(v);
    }
  }
  return chosen;
}

/// What the table says of one set of meshes. Times in seconds, medians.
struct ReducedRow {
  std::string name;
  Index vertices = 0;
  Index examples = 0;
  Index controls = 0;
  Index proxies = 0;
  double learning = 0;
  double solve = 0;     ///< a Gauss-Newton step with proxies
  double full = 0;      ///< with the gradients of all vertices
  double mesh = 0;      ///< of mesh-based IK
  double skin = 0;      ///< packed skinning, 2 threads
  double drag = 0;      ///< warm start, up to 4 steps, palette and skinning
  double dragMost = 0;  ///< the 95th of 100
  double place = 0;     ///< another set of 8 handles
  double distortionFull = 0;
  double distortionProxy = 0;
};

class PosedSet {
 public:
  PosedSet(std::string name, const Mesh& topology, const std::vector<Points>& shapes) {
    row.name = std::move(name);
    ReducedResult learned;
    row.learning = secondsOf([&] { learned = decomposeSkin(topology, shapes, {}, {}, {.rigid = false}); });
    model = std::make_shared<const ReducedModel>(std::move(learned.model));
    triangles = triangulate(topology);
    row.vertices = model->rest.cols();
    row.examples = static_cast<Index>(shapes.size());
    row.controls = model->controlCount();
    row.proxies = model->proxies.count();
    for (std::size_t p = 0; p < shapes.size(); ++p) {
      const Eigen::Isometry3d back = model->inputFromAligned[p].inverse();
      aligned.push_back((back.linear() * shapes[p]).colwise() + back.translation());
    }
    handles = endsOf(model->rest, triangles, 16);
    handles.resize(std::min<std::size_t>(handles.size(), 16));
  }

  [[nodiscard]] std::vector<Index> firstHandles() const { return {handles.begin(), handles.begin() + 8}; }

  /// Handle targets of poses that no example has: half-ways between examples.
  [[nodiscard]] std::vector<Points> tasks() const {
    std::vector<Points> targets;
    const std::vector<Index> held = firstHandles();
    for (std::size_t p = 0; p + 1 < aligned.size(); ++p)
      targets.push_back(0.6 * aligned[p](Eigen::all, held) + 0.4 * aligned[p + 1](Eigen::all, held));
    return targets;
  }

  /// Steps of the three methods in turn, from the rest for each task, on one thread.
  void measureSteps(bool baselines) {
    const ThreadLimit one(1);
    ReducedIk proxies(model, {.mostIterations = 4, .stop = 0});
    proxies.setHandles(firstHandles());
    std::unique_ptr<ReducedIk> vertices;
    std::unique_ptr<MeshIk> mesh;
    if (baselines) {
      ReducedModel everywhere = *model;
      everywhere.proxies = vertexProxies(model->rest, triangles, model->weights);
      vertices = std::make_unique<ReducedIk>(std::make_shared<const ReducedModel>(std::move(everywhere)),
                                             IkOptions{.mostIterations = 2, .stop = 0});
      vertices->setHandles(firstHandles());
      std::vector<Points> moved;
      for (std::size_t p = 0; p < aligned.size(); ++p) {
        if (static_cast<int>(p) != model->restExample) moved.push_back(aligned[p]);
      }
      mesh = std::make_unique<MeshIk>(model->rest, triangles, moved, MeshIkOptions{.mostIterations = 3, .stop = 0});
      mesh->setHandles(firstHandles());
    }
    std::vector<double> proxyTimes;
    std::vector<double> vertexTimes;
    std::vector<double> meshTimes;
    for (const Points& targets : tasks()) {
      for (int i = 0; i < 20; ++i) proxyTimes.push_back(proxies.solve(targets).secondsPerIteration);
      if (!baselines) continue;
      vertexTimes.push_back(vertices->solve(targets).secondsPerIteration);
      meshTimes.push_back(mesh->solve(targets).secondsPerIteration);
    }
    row.solve = medianOf(proxyTimes);
    if (!baselines) return;
    row.full = medianOf(vertexTimes);
    row.mesh = medianOf(meshTimes);
    reconstruct(proxies, *vertices);
  }

  /// A drag of 200 small moves, as a hand makes them, and changes of the handles.
  void measureDrag() {
    const ThreadLimit two(2);
    const play::PackedSkin packed = packSkin(model->rest, Points(3, 0), model->weights);
    std::vector<float> palette(packed.jointCount() * play::kMatrixFloats);
    play::AlignedFloats positions(3 * packed.placeCount());
    ReducedIk ik(model, {.mostIterations = 4});
    const std::vector<Index> held = firstHandles();
    ik.setHandles(held);
    Points targets = model->rest(Eigen::all, held);
    const double diagonal = boundingBox(model->rest).diagonal();
    std::vector<double> skins;
    std::vector<double> drags;
    for (int step = 0; step < 220; ++step) {
      const double angle = 0.06 * step;
      targets.col(step / 110) = model->rest.col(held[static_cast<std::size_t>(step / 110)]) +
                                0.08 * diagonal * Vec3(std::sin(angle), 1 - std::cos(angle), std::sin(2 * angle));
      double skinning = 0;
      drags.push_back(secondsOf([&] {
        const IkResult& result = ik.solve(targets, IkStart::Warm);
        skinning = secondsOf([&] {
          packMatrices(result.controls, palette);
          playOnThreads(play::linearCall(packed, palette, {.positions = positions}));
        });
      }));
      skins.push_back(skinning);
    }
    row.skin = medianOf(skins);
    row.drag = medianOf(drags);
    std::sort(drags.begin(), drags.end());
    row.dragMost = drags[drags.size() * 95 / 100];
    std::vector<double> places;
    for (std::size_t i = 0; i < 40; ++i) {
      std::vector<Index> some(handles.begin() + static_cast<std::ptrdiff_t>(i % 8),
                              handles.begin() + static_cast<std::ptrdiff_t>(i % 8 + 8));
      places.push_back(secondsOf([&] { ik.setHandles(some); }));
    }
    row.place = medianOf(places);
  }

  ReducedRow row;
  std::shared_ptr<const ReducedModel> model;
  std::vector<Triangle> triangles;
  std::vector<Points> aligned;
  std::vector<Index> handles;

 private:
  void reconstruct(ReducedIk& proxies, ReducedIk& vertices) {
    std::vector<Points> byProxies;
    std::vector<Points> byVertices;
    Points shape(3, model->rest.cols());
    for (Index p = 0; p < row.examples; ++p) {
      const Eigen::VectorXd weights = Eigen::VectorXd::Unit(row.examples, p);
      deformReduced(*model, proxies.blend(weights).controls, shape);
      byProxies.push_back(shape);
      deformReduced(*model, vertices.blend(weights).controls, shape);
      byVertices.push_back(shape);
    }
    const double diagonal = boundingBox(model->rest).diagonal();
    row.distortionProxy = compareSequences(aligned, byProxies, diagonal).distortion;
    row.distortionFull = compareSequences(aligned, byVertices, diagonal).distortion;
  }
};

inline std::string rowText(const ReducedRow& row) {
  return fmt::format("| {} | {} | {} | {} | {} | {:.3f} | {:.3f} | {:.1f} | {:.1f} | {:.0f} | {:.2f} | {:.2f} |\n",
                     row.name, row.vertices, row.examples, row.controls, row.proxies, 1e3 * row.solve,
                     1e3 * (row.solve + row.skin), 1e3 * row.full, 1e3 * row.mesh, row.mesh / row.solve,
                     row.distortionFull, row.distortionProxy);
}

/// The whole section, from sets that are already measured.
inline std::string reducedSection(const std::vector<ReducedRow>& rows, const std::vector<ReducedRow>& sizes) {
  std::string text =
      "## Reduced models\n\n"
      "Made by `bench/table1`. Milliseconds of one Gauss-Newton step with 8 handles at the ends of the body, medians "
      "on one thread: "
      "with proxies (`solve`), with skinning on 2 threads (`total`), with the gradients of all vertices, and "
      "mesh-based "
      "IK on the triangles in the same run. E is the percent distortion of the examples, reproduced through the "
      "solver.\n\n"
      "| meshes | vertices | examples | controls | proxies | solve | total | all vertices | mesh IK | mesh IK / solve "
      "| "
      "E all vertices | E proxies |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const ReducedRow& row : rows) text += rowText(row);
  text +=
      "\nMilliseconds of a drag step (warm start, at most 4 steps, palette and packed skinning on 2 threads), of "
      "placing another set of 8 handles, and seconds of learning.\n\n"
      "| meshes | drag step | 95 % of drag steps | skinning | other handles | learning, s "
      "|\n|---|---|---|---|---|---|\n";
  for (const ReducedRow& row : rows) {
    text += fmt::format("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} |\n", row.name, 1e3 * row.drag,
                        1e3 * row.dragMost, 1e3 * row.skin, 1e3 * row.place, row.learning);
  }
  if (sizes.empty()) return text;
  text +=
      "\nThe built-in quadruped with the same motion at other resolutions: the cost of a step does not depend on the "
      "vertex count.\n\n"
      "| vertices | controls | proxies | solve, ms | solve per proxy and control, us | skinning, ms | learning, s |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const ReducedRow& row : sizes) {
    text += fmt::format("| {} | {} | {} | {:.3f} | {:.4f} | {:.2f} | {:.1f} |\n", row.vertices, row.controls,
                        row.proxies, 1e3 * row.solve, 1e6 * row.solve / static_cast<double>(row.proxies * row.controls),
                        1e3 * row.skin, row.learning);
  }
  return text;
}

inline PosedSet quadrupedStage(Index vertices) {
  const Sample sample = makeSample("quadruped", {.vertices = vertices});
  std::vector<Points> shapes;
  for (const Example& example : sample.examples.examples) shapes.push_back(example.points);
  return {"quadruped", sample.character.mesh, shapes};
}

inline PosedSet folderStage(const std::filesystem::path& folder) {
  const std::vector<std::filesystem::path> paths = {folder};
  const MeshSequence read = readMeshes(paths);
  const std::filesystem::path name = folder.filename().empty() ? folder.parent_path().filename() : folder.filename();
  return {name.string(), read.topology, read.shapes};
}

}  // namespace sinew::bench
