#include "studio/modes/handles/learn_model.h"

#include "sinew/io/mesh_sequence.h"
#include "sinew/learn/decompose.h"
#include "sinew/learn/reduced_skeleton.h"
#include "sinew/samples/samples.h"

namespace sinew::studio::handles {
namespace {

struct TemporaryFile {
  std::filesystem::path path;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

MeshSequence sampleExamples(const LearnSource& source, const sinew::Progress& progress) {
  // A sample saved under another name is still that sample.
  const std::string name = source.about.value("sample", source.about.value("title", ""));
  const Sample sample = makeSample(name, {.vertices = source.sampleVertices}, progress);
  MeshSequence sequence;
  sequence.topology = sample.character.mesh;
  for (const Example& example : sample.examples.examples) {
    sequence.shapes.push_back(example.points);
    sequence.names.push_back(example.name);
  }
  sequence.rest = sample.character.mesh.points;
  return sequence;
}

/// The meshes that were opened, without skipped ones, wherever the document has been saved since.
MeshSequence folderExamples(const LearnSource& source, const sinew::Progress& progress) {
  const Json& about = source.about;
  std::vector<std::filesystem::path> paths;
  for (const Json& mesh : about.at("meshes")) paths.emplace_back(mesh.get<std::string>());
  MeshSequence sequence = readMeshes(paths, {.progress = partProgress(progress, 0, 0), .rules = source.rules});
  if (about.contains("rest")) {
    const std::filesystem::path rest = about["rest"].get<std::string>();
    sequence.topology.points = readMeshes(std::vector{rest}, {.rules = source.rules}).shapes.front();
    sequence.rest = sequence.topology.points;
  }
  return sequence;
}

/// For a character: the frames of its clip, with all edits of this session.
MeshSequence characterExamples(const LearnSource& source) {
  writeCharacter(source.scratch, source.file);
  const TemporaryFile gone{source.scratch};
  return readMeshes(std::vector{source.scratch});
}

MeshSequence examplesOf(const LearnSource& source, const sinew::Progress& progress) {
  if (source.about.value("kind", "") == "sample") return sampleExamples(source, progress);
  if (source.about.contains("meshes")) return folderExamples(source, progress);
  return characterExamples(source);
}

}  // namespace

Learning learnModel(const LearnSource& source, int controls, const sinew::Progress& progress) {
  const MeshSequence sequence = examplesOf(source, progress);
  // As `sinew reduce` does without flags.
  ReducedResult result = decomposeSkin(sequence.topology, sequence.shapes, sequence.names, sequence.rest,
                                       {.bones = controls, .rigid = false}, progress);
  Learning learning;
  learning.sentence = result.report.sentence();
  learning.file.character = reducedCharacter(sequence.topology, result.model).character;
  learning.file.reduced = std::make_shared<const ReducedModel>(std::move(result.model));
  return learning;
}

}  // namespace sinew::studio::handles
