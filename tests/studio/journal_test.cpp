#include "studio/document/journal.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "support/test_arm.h"

namespace sinew::studio::journal_test {
namespace {

namespace fs = std::filesystem;

class JournalTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("sinew_journal_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    file_.character = sinew::test::testArm();
  }
  void TearDown() override { fs::remove_all(folder_); }

  Edit weightEdit(std::uint32_t vertex, double share) const {
    const auto column = file_.character.skin.weights[static_cast<Index>(vertex)];
    return {"Drag 1 vertex",
            {WeightsChange{{vertex}, {{column.begin(), column.end()}}, {{{0, share}, {1, 1 - share}}}}}};
  }

  fs::path folder_;
  CharacterFile file_;
};

TEST_F(JournalTest, GivesBackDocumentAndHistory) {
  {
    Journal journal(folder_);
    EXPECT_TRUE(journal.about().is_null());
    journal.begin({{"title", "arm"}, {"path", "/somewhere/arm.glb"}}, file_);
    // Poses belong to the stored character: files also have a node for the mesh.
    const Pose rest = restPose(journal.base().character);
    Pose pose = rest;
    pose.local[1].rotation = Quat(0.8, 0, 0, 0.6);
    journal.append("edit", {{"edit", toJson(weightEdit(5, 0.25))}});
    journal.append("edit", {{"edit", toJson(Edit{"Pose", {PoseChange{0, rest, pose}}})}});
    journal.append("edit", {{"edit", toJson(weightEdit(6, 0.75))}});
    journal.append("undo");
  }
  Journal journal(folder_);
  const Restored restored = restore(journal);
  EXPECT_EQ(restored.document.title, "arm");
  EXPECT_EQ(restored.history.depth(), 2u);
  EXPECT_EQ(restored.history.redoDepth(), 1u);
  EXPECT_FALSE(restored.saved);
  EXPECT_EQ(restored.document.file.character.skin.weights[5][0].weight, 0.75);
  EXPECT_EQ(restored.document.file.character.skin.weights[6].size(), file_.character.skin.weights[6].size());
  EXPECT_EQ(restored.document.views.at(0).local.at(1).rotation.z(), 0.6);
}

TEST_F(JournalTest, DropsARecordThatACrashCutOff) {
  {
    Journal journal(folder_);
    journal.begin({{"title", "arm"}, {"path", ""}}, file_);
    journal.append("edit", {{"edit", toJson(weightEdit(5, 0.25))}});
    journal.append("edit", {{"edit", toJson(weightEdit(6, 0.5))}});
  }
  const fs::path records = folder_ / "journal";
  const std::string whole = readFile(records);
  std::size_t first = 0;
  std::uint32_t length = 0;
  std::memcpy(&length, whole.data(), 4);
  first = 12 + (length & 0x7fffffffu);
  for (std::size_t cut = 1; cut < whole.size(); cut += 7) {
    std::ofstream(records, std::ios::binary | std::ios::trunc).write(whole.data(), static_cast<std::streamsize>(cut));
    Journal journal(folder_);
    EXPECT_EQ(journal.size(), cut >= first ? 1u : 0u) << "cut at " << cut;
    EXPECT_EQ(journal.damage(), "") << "it was not acknowledged";
    EXPECT_NO_THROW(restore(journal));
  }
}

TEST_F(JournalTest, GoesOnAfterACutOffRecord) {
  {
    Journal journal(folder_);
    journal.begin({{"title", "arm"}, {"path", ""}}, file_);
    journal.append("edit", {{"edit", toJson(weightEdit(5, 0.25))}});
  }
  std::ofstream(folder_ / "journal", std::ios::binary | std::ios::app) << std::string("\x40\0\0\x80half a rec", 14);
  {
    Journal journal(folder_);
    journal.append("saved");
  }
  Journal journal(folder_);
  ASSERT_EQ(journal.size(), 2u);
  EXPECT_TRUE(restore(journal).saved);
}

TEST_F(JournalTest, KeepsSnapshotsOfWholeCharacters) {
  Journal journal(folder_);
  journal.begin({{"title", "arm"}, {"path", ""}}, file_);
  CharacterFile other = file_;
  other.character.skin.weights =
      SkinWeights::rigid(other.character.skin.bindings.size(), other.character.mesh.vertexCount(), 1);
  const std::string before = journal.snapshot(file_);
  const std::string after = journal.snapshot(other);
  journal.append("edit", {{"edit", toJson(Edit{"Bind", {CharacterChange{before, after}}})}});
  EXPECT_EQ(restore(journal).document.file.character.skin.weights.maxInfluences(), 1);
  EXPECT_THROW((void)journal.load("../base.glb"), Error);
}

TEST_F(JournalTest, RemovesTheShapesThatNoStepNames) {
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename().string());
    return names;
  };
  std::string used;
  std::string unused;
  {
    Journal journal(folder_);
    journal.begin({{"title", "arm"}, {"path", ""}}, file_);
    const Points points = Points::Ones(3, file_.character.mesh.vertexCount());
    used = journal.store(packedShape(points, {}))->file;
    unused = journal.store(packedShape(2 * points, {}))->file;
    ExampleList list;
    list.sculpt = ExampleState{"", restPose(journal.base().character), 1, used};
    journal.append("edit", {{"edit", toJson(Edit{"Grab 1 point", {ExamplesChange{{}, list}}})}});
    // Undone and replaced by another step, it is still replayed.
    journal.append("undo");
    journal.append("edit", {{"edit", toJson(weightEdit(5, 0.25))}});
  }
  {
    Journal journal(folder_);
    EXPECT_TRUE(files().contains(unused)) << "reading changes nothing";
    journal.removeUnused();
    EXPECT_FALSE(files().contains(unused));
    EXPECT_TRUE(files().contains(used));
    EXPECT_EQ(restore(journal).history.depth(), 1u);
    unused = journal.store(packedShape(Points::Zero(3, 5), {}))->file;
  }
  // Of a damaged journal all may be needed.
  std::ofstream(folder_ / "journal", std::ios::binary | std::ios::app) << std::string(64, 'x');
  Journal journal(folder_);
  ASSERT_NE(journal.damage(), "");
  journal.removeUnused();
  EXPECT_TRUE(files().contains(unused));
}

TEST(History, UndoesRedoesAndForgetsTheOldest) {
  History history(2000);
  for (int i = 0; i < 100; ++i) history.push({"step " + std::to_string(i), {LocksChange{{}, {"a"}}}});
  EXPECT_LT(history.depth(), 100u);
  EXPECT_EQ(history.names().back(), "step 99");
  EXPECT_EQ(history.undo()->name, "step 99");
  EXPECT_EQ(history.undo()->name, "step 98");
  EXPECT_EQ(history.redo()->name, "step 98");
  history.push({"other", {}});
  EXPECT_EQ(history.redo(), nullptr);
}

}  // namespace
}  // namespace sinew::studio::journal_test
