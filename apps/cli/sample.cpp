// sinew sample: writes a built-in character with its sculpts and held-out truths.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/io/formats.h"
#include "sinew/io/poses.h"
#include "sinew/samples/samples.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class SampleCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("NAME", name_, "the character; --list shows them", false);
    arguments.output(folder_, "folder to write to; created if it does not exist", false);
    arguments.option("--vertices", "N", vertices_,
                     "number of welded points from 1,000 on, matched within 10 %; 0: the default number", 0,
                     static_cast<double>(kMostSampleVertices));
    arguments.flag("--exact", exact_, "arm only: the test tube of exactly 984 vertices, as .glb and .obj");
    arguments.flag("--list", list_, "list the characters");
  }

  int run(Console& console) override {
    if (list_) return listSamples(console);
    if (name_.empty() || folder_.empty()) {
      throw UsageError("give a character and a folder, as in `sinew sample arm -o arm`; --list shows the characters");
    }
    if (vertices_ != 0 && vertices_ < kLeastSampleVertices) {
      throw UsageError(fmt::format("--vertices {} is too few; a sample has {} to {}, or 0 for the default number",
                                   vertices_, kLeastSampleVertices, kMostSampleVertices));
    }
    if (exact_ && name_ != "arm" &&
        std::any_of(samples().begin(), samples().end(), [&](const SampleRow& row) { return row.name == name_; }))
      throw UsageError(fmt::format("--exact is for 'arm'; '{}' has no exact form", name_));
    const Sample sample =
        makeSample(name_, {.vertices = static_cast<Index>(vertices_), .exact = exact_}, console.progress(0, 0.7));
    console.outputs().makeFolder(folder_);
    return write(sample, console);
  }

 private:
  static int listSamples(const Console& console) {
    Json json = Json::array();
    std::string text;
    for (const SampleRow& row : samples()) {
      json.push_back({{"name", row.name},
                      {"joints", row.joints},
                      {"examples", row.examples},
                      {"vertices", row.defaultVertices},
                      {"description", row.description}});
      text +=
          fmt::format("{:<10} {:>3} joints {:>3} examples  {}\n", row.name, row.joints, row.examples, row.description);
    }
    console.result(text, {{"samples", json}});
    return Done;
  }

  int write(const Sample& sample, const Console& console) {
    std::vector<fs::path> files;
    const CharacterFile character{sample.character, nullptr, {}, {}, {}};
    files.push_back(fs::path(folder_) / (name_ + ".glb"));
    writeCharacter(files.back(), character, console.writing(0.7, 0.75));
    if (exact_) {
      files.push_back(fs::path(folder_) / (name_ + ".obj"));
      writeCharacter(files.back(), character, console.writing(0.7, 0.75));
    }
    double written = 0.75;
    for (const auto& [manifest, set] :
         {std::pair{"examples.json", &sample.examples}, std::pair{"heldout.json", &sample.heldOut}}) {
      for (fs::path& file : writeExamples(fs::path(folder_) / manifest, sample.character, *set, &console.outputs(),
                                          console.fileProgress(written, written + 0.125))) {
        if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
      }
      written += 0.125;
    }
    Json names = Json::array();
    for (const fs::path& file : files) names.push_back(file.string());
    const auto vertices = toSize(sample.character.mesh.vertexCount());
    const auto joints = toSize(sample.character.skeleton.size());
    console.result(
        fmt::format("{}: {}, {}, {}, {} held out\n{} written to {}\n", name_, counted(vertices, "vertex", "vertices"),
                    counted(joints, "joint", "joints"), counted(sample.examples.examples.size(), "example", "examples"),
                    sample.heldOut.examples.size(), counted(files.size(), "file", "files"), folder_),
        {{"files", names},
         {"vertices", vertices},
         {"joints", joints},
         {"examples", sample.examples.examples.size()},
         {"heldOut", sample.heldOut.examples.size()}});
    return Done;
  }

  std::string name_;
  std::string folder_;
  std::int64_t vertices_ = 0;
  bool exact_ = false;
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Command> makeSampleCommand() {
  return std::make_unique<SampleCommand>();
}

}  // namespace sinew::cli
