#include "random_use.h"

#include <cmath>
#include <concepts>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "on_worker.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/reduced_model.h"
#include "support/fault_injection/fault_injection.h"
#include "support/temporary_folder.h"
#include "support/test_arm.h"

namespace sinew::studio::test {
namespace {

/// Takes values from the front of the input; zeros when it is used up.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

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
    const auto how = take<std::uint8_t>();
    const std::size_t wanted = how < 200 ? how % 32 : take<std::uint16_t>() % 4096;
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
  file.character = sinew::test::testArm(5, 5);
  return file;
}

CharacterFile reducedFile() {
  CharacterFile file = skinnedFile();
  std::vector<Points> shapes;
  for (const double degrees : {0.0, 45.0, 90.0})
    shapes.push_back(posePoints(file.character, sinew::test::bentArmPose(file.character, degrees, 0)));
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
  switch (input.take<std::uint8_t>() % 8) {
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
    case 6:
      return make(wire::SculptBegin());
    default:
      return make(wire::Stroke());
  }
}

const char* anyWord(Input& input) {
  static constexpr const char* kWords[] = {"arm.glb", "meshes", "meshes/a.obj", "lower", "upper",    "../out.glb",
                                           "new.glb", "x",      "pose",         "rest",  "upload:a", "out",
                                           "new.gltf"};
  return kWords[input.take<std::uint8_t>() % std::size(kWords)];
}

Json anyValue(Input& input) {
  switch (input.take<std::uint8_t>() % 8) {
    case 0:
      return input.take<std::int64_t>();
    case 1:
      return input.take<double>();
    case 2:
      return input.text();
    case 3:
      return (input.take<std::uint8_t>() & 1) != 0;
    case 4:
      return {input.take<std::uint8_t>() % 16, input.take<std::uint32_t>()};
    case 5:
      return Json::array({anyWord(input)});
    case 6:
      return nullptr;
    default:
      return anyWord(input);
  }
}

/// Of the type of a field.
template <class T>
Json valueLike(const T& field, const wire::FieldRule& rule, Input& input) {
  if constexpr (std::same_as<T, bool>) {
    return (input.take<std::uint8_t>() & 1) != 0;
  } else if constexpr (std::integral<T>) {
    return input.take<std::uint8_t>() % 16;
  } else if constexpr (std::floating_point<T>) {
    return static_cast<double>(input.take<std::uint8_t>()) / 100;
  } else if constexpr (std::same_as<T, std::string>) {
    if (rule.values.empty()) return anyWord(input);
    return std::string(rule.values[input.take<std::uint8_t>() % rule.values.size()]);
  } else if constexpr (requires { field.has_value(); }) {
    return valueLike(typename T::value_type(), rule, input);
  } else {
    Json list = Json::array();
    const std::size_t count = field.empty() ? input.take<std::uint8_t>() % 5 : field.size();
    for (std::size_t i = 0; i < count; ++i) list.push_back(valueLike(typename T::value_type(), rule, input));
    return list;
  }
}

/// A field in eight has a value of any type, is left out, or is not of the command.
template <class Command>
std::string textOf(Input& input) {
  Json args = Json::object();
  Command command;
  Command::visitFields(command, [&](const char* name, const auto& field, const wire::FieldRule& rule) {
    const auto odd = input.take<std::uint8_t>();
    if (odd == 255) args["planted"] = 1;
    if (odd % 16 == 0) return;
    args[name] = odd % 16 == 1 ? anyValue(input) : valueLike(field, rule, input);
  });
  // A model of many controls takes long to learn.
  if (Command::kName == "handles.learn") args["controls"] = input.take<std::uint8_t>() % 4;
  return Json{{"id", 1}, {"cmd", Command::kName}, {"args", args}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Any command that there is, with arguments that are often right.
std::string anyCommand(Input& input) {
  using Text = std::string (*)(Input&);
  static const std::vector<Text> kTexts = std::apply(
      [](const auto&... one) { return std::vector<Text>{&textOf<std::decay_t<decltype(one)>>...}; }, wire::Commands());
  return kTexts[input.take<std::uint8_t>() % kTexts.size()](input);
}

/// As the journal has it.
Json asJson(const ExampleList& list) {
  return toJson(Edit{{}, {ExamplesChange{list, {}}}});
}

/// Snapshots are floats, so weights may differ by their rounding.
void requireSame(const Document& restored, const Document& document) {
  const Character& one = restored.file.character;
  const Character& other = document.file.character;
  const auto require = [](bool same, const char* what) {
    if (!same) throw std::logic_error(std::string("a restart would find other ") + what);
  };
  require(one.skin.weights.vertexCount() == other.skin.weights.vertexCount(), "vertices");
  for (Index v = 0; v < one.skin.weights.vertexCount(); ++v) {
    for (const Influence& influence : other.skin.weights[v]) {
      const double again = one.skin.weights.weight(v, influence.binding);
      require(std::abs(again - influence.weight) < 1e-6, "weights");
    }
  }
  require(one.clips.size() == other.clips.size(), "clips");
  require(restored.file.poses.size() == document.file.poses.size(), "poses");
  require(restored.locks == document.locks, "locks");
  require(restored.keys.size() == document.keys.size(), "keys");
  require(restored.posed.handles == document.posed.handles, "handles");
  require(asJson(restored.examples.list) == asJson(document.examples.list), "examples");
  // The number of views is not in the history.
  require(toJson(restored.views.front()) == toJson(document.views.front()), "poses");
}

}  // namespace

struct RandomUse::State {
  State() {
    sinewFaultsSkipSync(1);  // the machine does not go down here
    SessionOptions options;
    for (const char* part : {"root", "state", "uploads"}) std::filesystem::create_directories(folder / part);
    options.root = folder / "root";
    options.state = folder / "state";
    options.uploads = folder / "uploads";
    options.samplesVertices = 300;
    makeFiles();
    session = std::make_unique<Session>(options);
    hooks = session->hooks();
    hooks.opened(page);
  }
  ~State() { session->stop(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Does something on the worker, after all that came before.
  template <class Work>
  void wait(const Work& work) {
    onWorker(*session, [&](Session&) { work(); });
  }

  /// What can be opened, and a link that leads out of the root.
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

  /// What was committed is what a restart would find, and can be saved and opened.
  void checkDocument() const {
    Journal again(session->journal().folder());
    const Restored restored = restore(again);
    const Document& document = session->document();
    if (restored.history.depth() != session->history().depth()) throw std::logic_error("steps were lost");
    requireSame(restored.document, document);
    const std::filesystem::path saved = folder / "uploads" / "saved.glb";
    writeCharacter(saved, document.file);
    readCharacter(saved);
    std::filesystem::remove(saved);
  }

  sinew::test::TemporaryFolder owned{"sinew-random"};
  std::filesystem::path folder = owned.path();
  std::unique_ptr<Session> session;
  ServerHooks hooks;
  ConnectionPtr page = std::make_shared<Silent>();
  CharacterFile files[2] = {skinnedFile(), reducedFile()};
  std::size_t steps = 0;
  int runs = 0;
};

RandomUse::RandomUse() : state_(std::make_unique<State>()) {}
RandomUse::~RandomUse() = default;

std::size_t RandomUse::steps() const {
  return state_->steps;
}

std::size_t RandomUse::play(std::span<const std::uint8_t> bytes) {
  State& state = *state_;
  Input input(bytes);
  const CharacterFile& file = state.files[input.take<std::uint8_t>() % 2];
  state.wait([&] { state.session->adopt({{"title", "random"}, {"path", ""}}, file); });
  std::size_t sent = 0;
  for (; !input.empty(); ++sent) {
    switch (input.take<std::uint8_t>() % 8) {
      case 0:
        state.hooks.text(state.page, input.text());
        break;
      case 1: {
        const std::string text = input.text();
        state.hooks.binary(state.page, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
        break;
      }
      case 2:
      case 3:
      case 4:
        state.hooks.text(state.page, anyCommand(input));
        break;
      default:
        state.hooks.binary(state.page, structured(input));
    }
  }
  // A page that reloads in the middle of a drag ends it as a step.
  state.hooks.closed(state.page);
  state.hooks.opened(state.page);
  // Jobs may end in the middle of anything; what they leave to be done is done as well.
  state.wait([] {});
  state.session->jobs().stop();
  state.wait([&] {
    state.checkDocument();
    state.steps += state.session->history().depth();
  });
  state.checkOutside();
  if (++state.runs % 200 == 0) state.makeFiles();
  return sent;
}

}  // namespace sinew::studio::test
