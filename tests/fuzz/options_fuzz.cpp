// Any text as the file of `--options`: every option within its limits, or an error of the command line.
#include <cstdlib>

#include "arguments.h"
#include "command.h"
#include "fuzz_files.h"
#include "sinew/base/error.h"
#include "sinew/learn/invert.h"
#include "sinew/learn/reduced_model.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  sinew::fuzz::writeSeeds(
      *argc, *argv,
      {R"({"bandwidth": 20, "max-influences": 4, "ridge": 0.1, "seed": 1, "word": "two", "all": true})",
       R"({"method": "powell", "line-search": "brent"})", R"({"names": ["a", "b"], "count": 3, "prune": 1e-3})"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = sinew::fuzz::scratch().write("options.json", sinew::fuzz::textOf(data, size));
  sinew::cli::Arguments arguments("fuzz", "reads options", "");
  sinew::ReducedOptions options;
  sinew::InvertOptions invert;
  std::vector<std::string> names;
  std::string word = "one";
  std::int64_t count = 0;
  bool all = false;
  arguments.fields(options);
  arguments.fields(invert);
  arguments.option("--names", "NAME", names, "texts");
  arguments.option("--count", "N", count, "a number");
  arguments.choice("--word", word, {"one", "two"}, "a word");
  arguments.flag("--all", all, "a flag");
  try {
    arguments.parse(std::vector<std::string>{"--options", path});
    if (options.maxInfluences < 1 || options.maxInfluences > 16 ||
        !(options.bandwidth >= 0 && options.bandwidth <= 180))
      std::abort();
    if (word != "one" && word != "two") std::abort();
    if (nameOf(invert.method).empty() || nameOf(invert.lineSearch).empty()) std::abort();
    static_cast<void>(arguments.printedOptions(true));
  } catch (const sinew::Error&) {
    return 0;
  } catch (const sinew::cli::UsageError&) {
    return 0;
  }
  return 0;
}
