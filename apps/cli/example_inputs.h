// The words by which commands name examples: a file of examples, or a clip and its meshes.
#pragma once

#include <memory>
#include <string>

#include "sinew/base/fields.h"
#include "sinew/io/examples.h"

namespace sinew::cli {

class Arguments;
class Console;

struct SequenceRate {
  double fps = 0;
};

template <class Visitor>
void visitFields(SequenceRate& o, Visitor&& visit) {
  visit(o.fps, {.name = "fps",
                .help = "frames per second of --meshes; 0: its own times, otherwise spread over the clip",
                .least = 0,
                .most = 100000});
}

struct ExampleInputs {
  std::string examples;
  std::string clip;
  std::string meshes;
  std::string restMesh;
  SequenceRate rate;
  bool force = false;
  std::string unlessForced;  ///< what else a refused shape may mean, as in OpenExamplesOptions; empty: its default

  /// `help` describes --examples; `forceHelp` what --force allows.
  void declare(Arguments& arguments, const std::string& help, const std::string& forceHelp);
  /// Throws for words that contradict each other. Reads nothing.
  void checkWords() const;
  /// The file or folder that complaints are about.
  [[nodiscard]] const std::string& name() const { return examples.empty() ? meshes : examples; }
  /// Opens what is named, for a character that was read from `characterFile`. Shapes are not read.
  [[nodiscard]] std::unique_ptr<ExampleFiles> open(const CharacterFile& file, const std::string& characterFile,
                                                   const Console& console) const;

 private:
  /// Throws if the meshes are the character without anything but its skin to move it.
  void checkMeshes(const Character& character, const std::string& characterFile) const;
};

}  // namespace sinew::cli
