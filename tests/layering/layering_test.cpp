// The rules hold for the project, and each check finds a planted fault.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string_view>

#include "checker.h"
#include "support/temporary_folder.h"

namespace sinew::layering {

namespace {

using Check = Findings (*)(const std::vector<SourceFile>&);

struct CheckRow {
  const char* name;
  Check check;
};

void PrintTo(const CheckRow& row, std::ostream* out) {  // NOLINT(readability-identifier-naming): GoogleTest's name
  *out << row.name;
}

constexpr CheckRow kChecks[] = {
    {"ModulesIncludeOnlyModulesToTheirLeft", checkLayers},
    {"LibrariesAreUsedOnlyWhereAllowed", checkFences},
    {"PublicHeadersExposeOnlyEigen", checkPublicHeaders},
    {"TheLibraryNeitherPrintsNorExits", checkCalls},
    {"NoUnfinishedWorkOrMachinePaths", checkPhrases},
    {"FilesAreShort", checkSizes},
    {"HeadersBeginWithTheirPurpose", checkHeaderForm},
    {"ModesIncludeOnlyTheirContext", checkModes},
    {"PrivateHeadersStayInTheirCapability", checkPrivateHeaders},
    {"TheUmbrellaIncludesEveryPublicHeader", checkUmbrella},
    {"OnlyPublicHeadersAreInstalled", checkInstalled},
    {"NoFileIsASplinter", checkSplinters},
};

/// A temporary folder of files.
class PlantedTree {
 public:
  void plant(const std::string& path, std::string_view text) const { top_.write(path, text); }
  [[nodiscard]] std::vector<SourceFile> read() const { return readTree(top_.path()); }

 private:
  test::TemporaryFolder top_;
};

/// A small tree that obeys every rule, with an allowed case of each.
void plantCleanTree(const PlantedTree& tree) {
  const auto source = [&](const std::string& path, const std::string& text) {
    tree.plant(path, text + std::string(25, '\n'));
  };
  source("src/sinew/sinew.h",
         "// All.\n#pragma once\n#include \"sinew/base/parallel.h\"\n#include \"sinew/deform/stack.h\"\n");
  source("src/sinew/base/parallel.cpp", "#include \"sinew/base/parallel.h\"\n#include <tbb/parallel_for.h>\n");
  source("src/sinew/base/parallel.h", "// Threads.\n#pragma once\n#include <Eigen/Core>\n#include <vector>\n");
  source("src/sinew/deform/stack.h", "// Stacks.\n#pragma once\n\nnamespace sinew {\n}\n");
  source("src/sinew/deform/stack.cpp",
         "#include \"sinew/base/parallel.h\"\n#include \"sinew/deform/stack/order.h\"\n#include <fmt/format.h>\n"
         "// printf\n");
  source("src/sinew/deform/stack/order.h", "// Order.\n#pragma once\n\nnamespace sinew::stack {\n}\n");
  source("src/sinew/deform/stack/order.cpp", "#include \"sinew/deform/stack/order.h\"\n");
  source("tests/deform/order_test.cpp", "#include \"sinew/deform/stack/order.h\"\n");
  source("prefix/include/sinew/deform/stack.h", "");
  source("src/sinew/io/gltf/json.h", "// Inside.\n#pragma once\n#include <nlohmann/json.hpp>\n");
  source("src/sinew/io/gltf/json.cpp", "#include \"sinew/io/gltf/json.h\"\nint snprintf_like;\n");
  source("apps/cli/main.cpp", "#include <CLI/CLI.hpp>\n#include <iostream>\nvoid f() { std::cout << 1; }\n");
  source("apps/studio/modes/modes.cpp", "#include \"studio/modes/toy/toy.h\"\n");
  source("apps/studio/modes/toy/toy.h", "#include \"studio/modes/mode.h\"\n#include \"sinew/base/parallel.h\"\n");
  source("apps/studio/modes/toy/toy.cpp", "#include \"studio/modes/toy/toy.h\"\n#include <vector>\n");
  tree.plant("docs/notes.md", "The method makes the net/work smaller; a hackney and its homes.\n");
  tree.plant("build/release/notes.txt",
             "TO"
             "DO in an ignored folder\n");
}

std::string joined(const Findings& findings) {
  return fmt::format("{}", fmt::join(findings, "\n"));
}

}  // namespace

class Layering : public ::testing::TestWithParam<CheckRow> {};

TEST_P(Layering, Holds) {
  const std::vector<SourceFile> files = readTree(SINEW_SOURCE_DIR);
  ASSERT_GT(files.size(), 50u) << "the tree at " << SINEW_SOURCE_DIR << " was not read";
  const Findings findings = GetParam().check(files);
  EXPECT_TRUE(findings.empty()) << joined(findings);
}

TEST_P(Layering, AcceptsACleanTree) {
  const PlantedTree tree;
  plantCleanTree(tree);
  const Findings findings = GetParam().check(tree.read());
  EXPECT_TRUE(findings.empty()) << joined(findings);
}

INSTANTIATE_TEST_SUITE_P(Rules, Layering, ::testing::ValuesIn(kChecks),
                         [](const auto& row) { return std::string(row.param.name); });

/// One fault planted in the clean tree, and the expected finding.
struct Fault {
  const char* name;
  Check check;
  const char* path;
  std::string text;
  const char* finding;
};

void PrintTo(const Fault& fault, std::ostream* out) {  // NOLINT(readability-identifier-naming): GoogleTest's name
  *out << fault.name;
}

class PlantedFault : public ::testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, IsFound) {
  const PlantedTree tree;
  plantCleanTree(tree);
  tree.plant(GetParam().path, GetParam().text);
  const Findings findings = GetParam().check(tree.read());
  ASSERT_EQ(findings.size(), 1u) << joined(findings);
  EXPECT_NE(findings[0].find(GetParam().finding), std::string::npos) << findings[0];
}

INSTANTIATE_TEST_SUITE_P(
    Each, PlantedFault,
    ::testing::Values(
        Fault{"ModuleToTheRight", checkLayers, "src/sinew/math/a.cpp", "#include \"sinew/deform/stack.h\"\n",
              "src/sinew/math/a.cpp:1: math must not include deform"},
        Fault{"ModuleBeside", checkLayers, "src/sinew/io/a.h", "#  include \"sinew/learn/a.h\"\n",
              "io must not include learn"},
        Fault{"UnknownModule", checkLayers, "src/sinew/utils/a.h", "", "is in no module"},
        Fault{"RelativeInclude", checkLayers, "src/sinew/io/a.cpp", "#include \"json.h\"\n",
              "not written as sinew/MODULE/FILE"},
        Fault{"ForbiddenLibrary", checkFences, "src/sinew/io/a.cpp", "#include <tiny_gltf.h>\n",
              "a.cpp:1: tinygltf is not allowed here"},
        Fault{"ThreadsElsewhere", checkFences, "src/sinew/deform/a.cpp", "#include <tbb/task_arena.h>\n",
              "TBB is not allowed here"},
        Fault{"JsonInDeform", checkFences, "src/sinew/deform/a.cpp", "\n#include <nlohmann/json.hpp>\n",
              "a.cpp:2: nlohmann JSON"},
        Fault{"CommandLineInStudio", checkFences, "apps/studio/a.cpp", "#include <CLI/CLI.hpp>\n", "CLI11"},
        Fault{"ModeThatSeesTheSession", checkModes, "apps/studio/modes/toy/a.cpp",
              "\n#include \"studio/session/session.h\"\n",
              "a.cpp:2: a mode must not include \"studio/session/session.h\""},
        Fault{"ModeThatSeesTheNetwork", checkModes, "apps/studio/modes/toy/a.h", "#include \"studio/net/server.h\"\n",
              "must not include"},
        Fault{"ModeThatSeesTheJournal", checkModes, "apps/studio/modes/toy/a.h",
              "#include \"studio/document/journal.h\"\n", "must not include"},
        Fault{"ModeThatSeesAnother", checkModes, "apps/studio/modes/toy/a.h",
              "#include \"studio/modes/weights/weights_mode.h\"\n", "must not include"},
        Fault{"PrivateHeaderFromOutside", checkPrivateHeaders, "apps/cli/a.cpp",
              "\n#include \"sinew/deform/stack/order.h\"\n",
              "apps/cli/a.cpp:2: \"sinew/deform/stack/order.h\" is private to sinew/deform/stack"},
        Fault{"PrivateHeaderOfANeighbour", checkPrivateHeaders, "src/sinew/deform/a.cpp",
              "#include \"sinew/deform/stack/order.h\"\n", "is private to"},
        Fault{"PrivateHeaderInAPublicOne", checkPrivateHeaders, "src/sinew/deform/stack.h",
              "// Stacks.\n#pragma once\n#include \"sinew/deform/stack/order.h\"\n", "is private to"},
        Fault{"PrivateHeaderInThePublicNamespace", checkPrivateHeaders, "src/sinew/deform/stack/other.h",
              "// Other.\n#pragma once\n\nnamespace sinew {\n}\n", "must use the namespace"},
        Fault{"PublicHeaderThatTheUmbrellaLacks", checkUmbrella, "src/sinew/math/a.h", "// A.\n#pragma once\n",
              "src/sinew/math/a.h: src/sinew/sinew.h does not include it"},
        Fault{"InstalledPrivateHeader", checkInstalled, "prefix/include/sinew/learn/fit/problem.h", "",
              "a private header is installed"},
        Fault{"Splinter", checkSplinters, "src/sinew/math/a.cpp", std::string(24, '\n'), "24 lines: join it"},
        Fault{"PublicThirdParty", checkPublicHeaders, "apps/cli/a.cpp", "#include \"sinew/io/gltf/json.h\"\n",
              "only io may include it"},
        Fault{"PrintingLibrary", checkCalls, "src/sinew/deform/a.cpp", "void f() { std::cout << 1; }\n",
              "the library never prints"},
        Fault{"PrintfInTheLibrary", checkCalls, "src/sinew/deform/a.cpp", "void f() { printf(\"x\"); }\n",
              ":1: printf"},
        Fault{"ExitInTheLibrary", checkCalls, "src/sinew/deform/a.cpp", "void f() { std::exit(1); }\n",
              "never ends the process"},
        Fault{"UnfinishedWork", checkPhrases, "docs/a.md",
              "\n\nTO"
              "DO: more\n",
              "docs/a.md:3: "},
        Fault{"MachinePath", checkPhrases, "CMakeLists.txt",
              "set(a /ho"
              "me/someone/a)\n",
              "machine-specific path"},
        Fault{"DataBesideTheProject", checkPhrases, "tests/io/a.cpp",
              "\"../sha"
              "red/data\"\n",
              "SINEW_DATA_DIR"},
        Fault{"RegistryHost", checkPhrases, "tests/javascript/package-lock.json",
              "\"reso"
              "lved\": \"https://a\"\n",
              "not hosts"},
        Fault{"ChoiceAsText", checkPhrases, "src/sinew/learn/a.h",
              "visit(o.method, {.name = \"method\", .cho"
              "ices = \"one|two\"});\n",
              "an enum with a table of names"},
        Fault{"LongHeader", checkSizes, "src/sinew/base/a.h", std::string(201, '\n'), "201 lines, at most 200"},
        Fault{"LongSource", checkSizes, "apps/cli/a.cpp", std::string(451, '\n'), "451 lines, at most 450"},
        Fault{"LongPage", checkSizes, "web/src/ui/a.tsx", std::string(451, '\n'), "451 lines, at most 450"},
        Fault{"HeaderWithoutPurpose", checkHeaderForm, "src/sinew/base/a.h", "\n#pragma once\n", "does not begin"},
        Fault{"HeaderWithoutPragmaOnce", checkHeaderForm, "src/sinew/base/a.h", "// Something.\n",
              "lacks #pragma once"}),
    [](const auto& fault) { return std::string(fault.param.name); });

TEST(PublicHeaders, ExposeAThirdPartyAlsoThroughAnotherHeader) {
  const PlantedTree tree;
  plantCleanTree(tree);
  tree.plant("src/sinew/io/outer.h", "// Outer.\n#pragma once\n#include \"sinew/io/gltf/json.h\"\n");
  tree.plant("examples/a.cpp", "#include \"sinew/io/outer.h\"\n");
  const Findings findings = checkPublicHeaders(tree.read());
  ASSERT_EQ(findings.size(), 1u) << joined(findings);
  EXPECT_NE(findings[0].find("sinew/io/outer.h"), std::string::npos) << findings[0];
}

}  // namespace sinew::layering
