// sinew convert: between formats.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "shapes.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"

namespace sinew::cli {
namespace {

class ConvertCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("IN", input_, "file to read");
    arguments.output(output_, "file to write; the extension selects the format");
    arguments.flag("--all", all_, "mesh formats: also write meshes without a skin");
  }

  int run(Console& console) override {
    checkWritable(output_);
    const CharacterFile file = readCharacter(input_, console.reading(0, 0.5));
    WriteOptions writing = console.writing(0.5, 1);
    writing.includeUnskinned = all_ || isGltf(output_);
    const LostList lost = writeCharacter(output_, file, writing);
    for (const std::string& problem : file.problems) console.note(fmt::format("{}: {}", input_, problem));
    std::string text = fmt::format("{} written\n", output_);
    for (const std::string& sentence : lost) text += fmt::format("  lost: {}\n", sentence);
    console.result(text, {{"output", output_}, {"lost", lost}});
    return Done;
  }

 private:
  std::string input_;
  std::string output_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> makeConvertCommand() {
  return std::make_unique<ConvertCommand>();
}

}  // namespace sinew::cli
