// Any bytes as a journal: what is whole before the damage is replayed, the rest is told of, and once it is mended and
// appended to, it reads as that many records. The first byte says what the others are: the file as it lies on disk, one
// record behind a checksum that is right (so that the fuzzer need not find it), or the description beside it.
#include <cstdlib>

#include "fuzz_files.h"
#include "sinew/base/error.h"
#include "studio/document/journal.h"
#include "support/fault_injection/fault_injection.h"
#include "support/test_arm.h"

namespace {

using namespace sinew;
using namespace sinew::studio;

std::filesystem::path folder() {
  return fuzz::scratch().file("journal");
}

std::string contentOf(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Json someEdit(const Journal& journal) {
  const Pose rest = restPose(journal.base().character);
  Pose pose = rest;
  pose.local[1].rotation = Quat(0.8, 0, 0, 0.6);
  const Edit edit{"Some of everything",
                  {PoseChange{0, rest, pose}, WeightsChange{{2}, {{{0, 1.0}}}, {{{0, 0.25}, {1, 0.75}}}}}};
  return {{"op", "edit"}, {"edit", toJson(edit)}};
}

/// A journal of one step, as every try begins.
const std::string& soundFile() {
  static const std::string made = [] {
    CharacterFile file;
    file.character = test::testArm(3, 3);
    std::filesystem::remove_all(folder());
    Journal journal(folder());
    journal.begin({{"title", "arm"}, {"path", ""}}, file);
    journal.append("edit", {{"edit", someEdit(journal)["edit"]}});
    return contentOf(folder() / "journal");
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  sinewFaultsSkipSync(1);  // the machine does not go down here
  const std::string& file = soundFile();
  const std::vector<std::uint8_t> record = Json::to_cbor(someEdit(Journal(folder())));
  fuzz::writeSeeds(*argc, *argv,
                   {std::string(1, '\0') + file, std::string(1, '\1') + std::string(record.begin(), record.end()),
                    std::string(1, '\2') + contentOf(folder() / "about.json")});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const std::string about = (soundFile(), contentOf(folder() / "about.json"));
  const std::string bytes = fuzz::textOf(data + 1, size - 1);
  fuzz::scratch().write("journal/journal", data[0] % 3 == 0 ? bytes : soundFile());
  fuzz::scratch().write("journal/about.json", data[0] % 3 == 2 ? bytes : about);
  if (data[0] % 3 == 1) {
    RecordFile file(folder() / "journal");
    file.read([](std::span<const std::uint8_t>) { return true; });
    const RecordFile::Bytes record(data + 1, data + size);
    file.append(std::span(&record, 1));
  }
  try {
    std::size_t depth = 0;
    std::size_t records = 0;
    {
      Journal journal(folder(), {{"title", "arm"}, {"path", ""}});
      depth = restore(journal).history.depth();
      records = journal.size();
      journal.append("edit", {{"edit", someEdit(journal)["edit"]}});
    }
    Journal again(folder());
    if (!again.damage().empty() || again.size() != records + 1) std::abort();
    if (restore(again).history.depth() < depth) std::abort();
  } catch (const Error&) {
    return 0;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().string().find(".damaged-") != std::string::npos) std::filesystem::remove(entry.path());
  }
  return 0;
}
