// The commands of README.md, run verbatim.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "json_schema.h"
#include "run_sinew.h"
#include "sinew/io/formats.h"

namespace sinew::test::readme_test {
namespace {

namespace fs = std::filesystem;

/// Lines of the section "The command" that are indented and begin with `sinew`, in order.
std::vector<std::string> readmeCommands() {
  std::istringstream text(readText(fs::path(SINEW_SOURCE_DIR) / "README.md"));
  std::vector<std::string> commands;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) inside = line == "## The command";
    if (inside && line.starts_with("    sinew ")) commands.push_back(line.substr(4, line.find(" # ") - 4));
  }
  return commands;
}

/// In the folder, with the built command first in the search path.
int shell(const fs::path& folder, const std::string& line) {
  const std::string bin = fs::path(SINEW_COMMAND).parent_path().string();
  std::ofstream(folder / "line.sh") << "cd '" << folder.string() << "' || exit 1\nPATH='" << bin
                                    << "':\"$PATH\"\nexport PATH\n"
                                    << line << "\n";
  const int status = std::system(("sh '" + (folder / "line.sh").string() + "'").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(Readme, CommandsRunAsWrittenInAnEmptyFolder) {
  const TemporaryFolder folder;
  const std::vector<std::string> commands = readmeCommands();
  ASSERT_GE(commands.size(), 12u);
  bool studio = false;
  for (const std::string& line : commands) {
    const std::string quiet = line + " > '" + folder.file("out") + "' 2> '" + folder.file("err") + "'";
    if (line.starts_with("sinew studio ")) {
      studio = true;
      // It serves until it is interrupted; the printed address shows that it serves.
      const std::string served = line + " --no-open --port 0 --state state --json > '" + folder.file("out") + "' 2> '" +
                                 folder.file("err") + "' & id=$!; for i in $(seq 300); do grep -q http '" +
                                 folder.file("out") + "' && break; sleep 0.1; done; kill -TERM $id; wait $id; true";
      EXPECT_EQ(shell(folder.path(), served), 0);
      const std::string out = readText(folder.file("out"));
      ASSERT_NE(out.find("http://"), std::string::npos) << readText(folder.file("err"));
      const fs::path schema = fs::path(SINEW_SOURCE_DIR) / "docs/schemas/cli/studio.schema.json";
      EXPECT_EQ(schemaFaults(nlohmann::json::parse(out), schema), std::vector<std::string>{});
      continue;
    }
    EXPECT_EQ(shell(folder.path(), quiet), 0) << line << "\n" << readText(folder.file("err"));
  }
  EXPECT_TRUE(studio);
  // Dragging a vertex has an effect only if the pose moves its joints.
  const Character before = readCharacter(folder.file("biped/biped.glb")).character;
  const Character after = readCharacter(folder.file("dragged.glb")).character;
  double most = 0;
  for (Index v = 0; v < before.mesh.vertexCount(); ++v) {
    for (const Influence& one : before.skin.weights[v])
      most = std::max(most, std::abs(one.weight - after.skin.weights.weight(v, one.binding)));
  }
  EXPECT_GT(most, 0.1) << "the line that drags changes no weight";
}

}  // namespace
}  // namespace sinew::test::readme_test
