// Any commands and messages in any order: the session answers or refuses, never crashes, and what it keeps on disk can
// be read again.
#include <stdlib.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/learn/reduced_model.h"
#include "studio/on_worker.h"
#include "studio/session/session.h"
#include "support/fault_injection/fault_injection.h"
#include "support/test_arm.h"

namespace {

using namespace sinew;
using namespace sinew::studio;

/// Takes values from the front of the input; zeros when it is used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  template <class T>
  T take() {
    T value{};
    const std::size_t count = std::min(sizeof(T), rest_.size());
    std::memcpy(&value, rest_.data(), count);
    rest_ = rest_.subspan(count);
    return value;
  }
  std::string text() {
    const std::size_t wanted = take<std::uint16_t>() % 4096;
    const std::size_t count = std::min(wanted, rest_.size());
    std::string words(reinterpret_cast<const char*>(rest_.data()), count);
    rest_ = rest_.subspan(count);
    return words;
  }

  // A field of a message. Small numbers are likely: they name things that exist.
  void operator()(std::uint32_t& value) {
    const auto how = take<std::uint8_t>();
    value = how < 200 ? how % 16 : take<std::uint32_t>();
  }
  void operator()(float& value) {
    const auto how = take<std::uint8_t>();
    value = how < 200 ? static_cast<float>(how) / 50 - 1 : take<float>();
  }
  void operator()(std::uint8_t& value) { value = take<std::uint8_t>(); }
  template <class T, std::size_t n>
  void operator()(std::array<T, n>& values) {
    for (T& value : values) (*this)(value);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    values.resize(take<std::uint8_t>() % 32);
    for (T& value : values) (*this)(value);
  }

 private:
  std::span<const std::uint8_t> rest_;
};

class Silent final : public Connection {
 public:
  [[nodiscard]] std::uint64_t id() const override { return 1; }
  void sendText(std::string /*text*/) override {}
  void sendBinary(Bytes /*message*/) override {}
  void close(std::string_view /*reason*/) override {}
};

/// Small, but every mode can use one of the two: a skin, and a model with a few controls.
CharacterFile skinnedFile() {
  CharacterFile file;
  file.character = test::testArm(5, 5);
  return file;
}

CharacterFile reducedFile() {
  CharacterFile file = skinnedFile();
  std::vector<Points> shapes;
  for (const double degrees : {0.0, 45.0, 90.0})
    shapes.push_back(posePoints(file.character, test::bentArmPose(file.character, degrees, 0)));
  ReducedOptions options;
  options.controls = 2;
  ReducedResult result = learnReducedModel(file.character.mesh, shapes, {}, {}, options);
  file.reduced = std::make_shared<const ReducedModel>(std::move(result.model));
  return file;
}

Bytes structured(Input& input) {
  const auto make = [&]<class Message>(Message message) {
    Message::visitFields(message, input);
    return encode(message, 1, 0);
  };
  switch (input.take<std::uint8_t>() % 7) {
    case 0:
      return make(wire::WeightDragBegin());
    case 1:
      return make(wire::PaintBegin());
    case 2:
      return make(wire::HandleDragBegin());
    case 3:
      return make(wire::DragMove());
    case 4:
      return make(wire::DragEnd());
    case 5:
      return make(wire::PoseSet());
    default:
      return make(wire::Stroke());
  }
}

Json anyValue(Input& input) {
  static constexpr const char* kWords[] = {"arm.glb",  "meshes",  "meshes/a.obj", "lower",   "upper",
                                           "continue", "discard", "../out.glb",   "new.glb", "x",
                                           "pose",     "rest",    "upload:a",     "out",     "new.gltf"};
  switch (input.take<std::uint8_t>() % 10) {
    case 0:
      return input.take<std::uint8_t>() % 16;
    case 1:
      return input.take<std::int64_t>();
    case 2:
      return static_cast<double>(input.take<std::uint8_t>()) / 100;
    case 3:
      return input.take<double>();
    case 4:
      return input.text();
    case 5:
      return (input.take<std::uint8_t>() & 1) != 0;
    case 6:
      return {input.take<std::uint8_t>() % 16, input.take<std::uint32_t>()};
    case 7:
      return Json::array({kWords[input.take<std::uint8_t>() % std::size(kWords)]});
    default:
      return kWords[input.take<std::uint8_t>() % std::size(kWords)];
  }
}

/// Any command that there is, with arguments that are often right.
std::string command(const Session& session, Input& input) {
  static const std::vector<std::string_view> kCommands = session.commandNames();
  static constexpr const char* kNames[] = {
      "vertex", "binding", "weight",   "joints",     "vertices", "view",   "joint",  "name",   "count",
      "time",   "key",     "handle",   "most",       "times",    "from",   "depth",  "pinned", "below",
      "amount", "path",    "clip",     "live",       "what",     "skip",   "job",    "to",     "axis",
      "above",  "all",     "skeleton", "unfinished", "replace",  "factor", "target", "radius", "strength",
      "smooth", "seconds", "controls", "protocol",   "value",    "values", "by",     "pose"};
  Json args = Json::object();
  const std::string_view name = kCommands[input.take<std::uint8_t>() % kCommands.size()];
  const int count = input.take<std::uint8_t>() % 6;
  for (int i = 0; i < count; ++i) args[kNames[input.take<std::uint8_t>() % std::size(kNames)]] = anyValue(input);
  // A model of many controls takes long to learn.
  if (name == "handles.learn") args["controls"] = input.take<std::uint8_t>() % 4;
  return Json{{"id", 1}, {"cmd", name}, {"args", args}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

struct Fixture {
  Fixture() {
    sinewFaultsSkipSync(1);  // the machine does not go down here
    std::string name = (std::filesystem::temp_directory_path() / "sinew-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    SessionOptions options;
    for (const char* part : {"root", "state", "uploads"})
      std::filesystem::create_directories(std::filesystem::path(name) / part);
    folder = name;
    options.root = folder / "root";
    options.state = folder / "state";
    options.uploads = folder / "uploads";
    options.samplesVertices = 300;
    makeFiles();
    session = std::make_unique<Session>(options);
    hooks = session->hooks();
    hooks.opened(page);
  }

  /// Does something on the worker, after all that came before.
  template <class Work>
  void wait(const Work& work) {
    onWorker(*session, [&](Session&) { work(); });
  }

  /// What can be opened, and a way out that must not be taken.
  void makeFiles() const {
    const std::filesystem::path root = folder / "root";
    std::filesystem::remove_all(root);
    std::filesystem::create_directories(root / "meshes");
    std::filesystem::create_directories(folder / "outside");
    std::filesystem::create_directory_symlink(folder / "outside", root / "out");
    writeCharacter(root / "arm.glb", skinnedFile());
    for (const char* mesh : {"a.obj", "b.obj"}) writeCharacter(root / "meshes" / mesh, skinnedFile());
  }
  void checkOutside() const {
    if (!std::filesystem::is_empty(folder / "outside")) throw std::logic_error("something was written outside");
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string part = entry.path().filename().string();
      if (part != "root" && part != "state" && part != "uploads" && part != "outside")
        throw std::logic_error("something was written outside: " + part);
    }
  }

  std::filesystem::path folder;
  std::unique_ptr<Session> session;
  ServerHooks hooks;
  ConnectionPtr page = std::make_shared<Silent>();
  CharacterFile files[2] = {skinnedFile(), reducedFile()};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Fixture fixture;
  Input input(data, size);
  const CharacterFile& file = fixture.files[input.take<std::uint8_t>() % 2];
  fixture.wait([&] { fixture.session->adopt({{"title", "fuzz"}, {"path", ""}}, file); });
  while (!input.empty()) {
    switch (input.take<std::uint8_t>() % 8) {
      case 0:
        fixture.hooks.text(fixture.page, input.text());
        break;
      case 1: {
        const std::string bytes = input.text();
        fixture.hooks.binary(fixture.page, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
        break;
      }
      case 2:
      case 3:
      case 4:
        fixture.hooks.text(fixture.page, command(*fixture.session, input));
        break;
      default:
        fixture.hooks.binary(fixture.page, structured(input));
    }
  }
  // Jobs may end in the middle of anything; what they leave to be done is done as well.
  fixture.wait([&] {});
  fixture.session->jobs().stop();
  // What was committed is what a restart would find.
  fixture.wait([&] {
    Journal again(fixture.session->journal().folder());
    const Restored restored = restore(again);
    if (restored.history.depth() != fixture.session->history().depth()) throw std::logic_error("steps were lost");
  });
  fixture.checkOutside();
  static int runs = 0;
  if (++runs % 200 == 0) fixture.makeFiles();
  return 0;
}
