// A file of records with disk faults, and with damage to every bit.
#include "studio/document/record_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>

#include "session_harness.h"
#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "support/fault_injection/fault_injection.h"

namespace sinew::studio::record_file_test {
namespace {

namespace fs = std::filesystem;
using sinew::test::Faults;
using Bytes = RecordFile::Bytes;
using test::Scratch;

Bytes bytesOf(const std::string& text) {
  return {text.begin(), text.end()};
}

void append(RecordFile& file, const std::string& text) {
  file.append(std::vector<Bytes>{bytesOf(text)});
}

std::vector<std::string> readAll(RecordFile& file) {
  std::vector<std::string> all;
  file.read([&](std::span<const std::uint8_t> bytes) {
    all.emplace_back(bytes.begin(), bytes.end());
    return true;
  });
  return all;
}

std::vector<std::string> readAll(const fs::path& path) {
  RecordFile file(path);
  return readAll(file);
}

void writeBytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// As older studios wrote them.
std::string oldRecord(const std::string& body) {
  std::uint32_t sum = 2166136261u;
  for (const char c : body) sum = (sum ^ static_cast<std::uint8_t>(c)) * 16777619u;
  const auto length = static_cast<std::uint32_t>(body.size());
  std::string record(8, '\0');
  std::memcpy(record.data(), &length, 4);
  std::memcpy(record.data() + 4, &sum, 4);
  return record + body;
}

TEST(RecordFile, GivesBackWhatWasAppended) {
  const Scratch scratch;
  const fs::path path = scratch / "records";
  {
    RecordFile file(path);
    append(file, "one");
    file.append(std::vector<Bytes>{bytesOf("two"), bytesOf(""), bytesOf(std::string(200'000, 'x'))});
    EXPECT_EQ(file.count(), 4u);
  }
  EXPECT_EQ(readAll(path), (std::vector<std::string>{"one", "two", "", std::string(200'000, 'x')}));
  struct stat found {};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST(RecordFile, ReadsFilesOfBeforeAndGoesOnWithThem) {
  const Scratch scratch;
  const fs::path path = scratch / "records";
  writeBytes(path, oldRecord("one") + oldRecord("two"));
  {
    RecordFile file(path);
    EXPECT_EQ(readAll(file), (std::vector<std::string>{"one", "two"}));
    append(file, "three");
  }
  EXPECT_EQ(readAll(path), (std::vector<std::string>{"one", "two", "three"}));
}

/// Every call fails once, and a disk that stays full: refused records are absent, accepted ones present.
TEST(RecordFile, WhatIsRefusedIsNotThereAndWhatIsTakenIs) {
  for (const char* plan :
       {"write:1:ENOSPC", "write:1:EIO", "write:1:short,write:2+:ENOSPC", "fdatasync:1:EIO", "fdatasync:1:ENOSPC",
        "fdatasync:1+:EIO", "write:1:short,write:2:EIO,ftruncate:1:EIO", "open:1:ENOSPC", "open:1:EROFS"}) {
    SCOPED_TRACE(plan);
    const Scratch scratch;
    const fs::path path = scratch / "records";
    // A studio that opens the file first, and one that has it open already.
    for (const bool opened : {false, true}) {
      if (opened && std::string(plan).starts_with("open")) continue;
      fs::remove(path);
      {
        RecordFile file(path);
        append(file, "kept");
      }
      RecordFile file(path);
      readAll(file);
      if (opened) append(file, "also");
      const std::vector<std::string> before = readAll(path);
      {
        const Faults faults(plan, path.string());
        EXPECT_THROW(append(file, "refused, and longer than eight"), Error);
        EXPECT_GT(Faults::made(), 0u);
      }
      EXPECT_EQ(file.count(), before.size());
      // Killed now: if the truncation succeeded, the refused record is absent.
      if (std::string(plan).find("+:EIO") == std::string::npos) {
        EXPECT_EQ(readAll(path), before);
      }
      append(file, "next");
      std::vector<std::string> after = before;
      after.emplace_back("next");
      EXPECT_EQ(readAll(path), after);
    }
  }
}

TEST(RecordFile, ShortWritesAreNoFault) {
  const Scratch scratch;
  const fs::path path = scratch / "records";
  RecordFile file(path);
  {
    const Faults faults("write:1:short,write:2:EINTR,write:3:short", path.string());
    append(file, "a record of some length");
    EXPECT_EQ(Faults::made(), 3u);
  }
  EXPECT_EQ(readAll(path), std::vector<std::string>{"a record of some length"});
}

TEST(RecordFile, EveryFlippedBitIsNoticed) {
  const Scratch scratch;
  const fs::path path = scratch / "records";
  {
    RecordFile file(path);
    for (const char* text : {"first", "second one", "third"}) append(file, text);
  }
  const std::vector<std::string> whole = readAll(path);
  const std::string bytes = readFile(path);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    writeBytes(path, damaged);
    RecordFile file(path);
    const std::vector<std::string> found = readAll(file);
    ASSERT_EQ(file.tail(), RecordFile::Tail::Damaged) << "bit " << bit;
    ASSERT_LT(found.size(), whole.size());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], whole[i]);
    EXPECT_EQ(readFile(path), damaged) << "reading changes nothing";
  }
}

TEST(RecordFile, ADamagedFileIsKeptBesideTheMendedOne) {
  const Scratch scratch;
  const fs::path path = scratch / "records";
  {
    RecordFile file(path);
    for (const char* text : {"first", "second", "third"}) append(file, text);
  }
  std::string damaged = readFile(path);
  damaged[12 + 5 + 14] ^= 0x10;  // in the second
  // With a fault in each step of the repair, then without.
  for (const char* plan : {"open:1:ENOSPC", "write:1:ENOSPC", "fsync:1:EIO", "close:1:EIO", "rename:1:EIO", ""}) {
    SCOPED_TRACE(plan);
    writeBytes(path, damaged);
    fs::remove(scratch / "aside");
    RecordFile file(path);
    EXPECT_EQ(readAll(file), std::vector<std::string>{"first"});
    file.setAside(scratch / "aside");
    if (*plan != '\0') {
      const Faults faults(plan, "records");
      EXPECT_THROW(append(file, "next"), Error);
      EXPECT_GT(Faults::made(), 0u);
      EXPECT_EQ(readFile(path), damaged);
      fs::remove(scratch / "aside");
    }
    append(file, "next");
    EXPECT_EQ(readAll(path), (std::vector<std::string>{"first", "next"}));
    EXPECT_EQ(readFile(scratch / "aside"), damaged);
    EXPECT_FALSE(fs::exists(path.string() + ".mended"));
  }
}

TEST(RecordFile, WhatACrashCutsOffIsNoDamage) {
  const Scratch scratch;
  const fs::path path = scratch / "records";
  {
    RecordFile file(path);
    append(file, "first");
    append(file, std::string(100, 'y'));
  }
  const std::string bytes = readFile(path);
  const std::size_t first = 12 + 5;
  for (std::size_t cut = first; cut < bytes.size(); ++cut) {
    // The file may have its full length without its last blocks.
    for (const std::string& left : {bytes.substr(0, cut), bytes.substr(0, first) + std::string(cut - first, '\0')}) {
      writeBytes(path, left);
      RecordFile file(path);
      EXPECT_EQ(readAll(file), std::vector<std::string>{"first"});
      ASSERT_EQ(file.tail(), cut == first ? RecordFile::Tail::Whole : RecordFile::Tail::Torn) << cut;
      append(file, "next");
      EXPECT_EQ(readAll(path), (std::vector<std::string>{"first", "next"}));
    }
  }
}

}  // namespace
}  // namespace sinew::studio::record_file_test
