// sinew studio: the browser studio.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "server.h"
#include "session.h"
#include "sinew/base/error.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;

/// A folder for what pages send, gone with the studio.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "sinew-studio-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw Error(ErrorCode::Unwritable, "a temporary folder cannot be made", fs::temp_directory_path().string());
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Shows the address in the desktop's browser, where there is one.
bool openBrowser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("xdg-open", "xdg-open", address.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  return child > 0;
}

constexpr std::uint16_t kUsualPort = 8731;
constexpr std::int64_t kUsualOrFree = -1;

class StudioCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("FILE", what_, "a character, a folder of meshes, or sample:NAME", false);
    arguments.option("--port", "N", port_,
                     "of 127.0.0.1; 0: a free one; default: 8731, or a free one where it is taken");
    arguments.flag("--no-open", noOpen_, "print the address, open no browser");
    arguments.option("--root", "DIR", root_,
                     "files are opened and saved below this folder only; default: the current one");
    arguments.option("--state", "DIR", state_, "where unsaved work is kept; default: the user's state folder");
    arguments.option("--page", "DIR", page_, "folder of the built page, where it is not beside the program");
    arguments.flag("--test-hooks", testHooks_, "let automatic tests look inside");
  }

  int run(Console& console) override {
    if (port_ < kUsualOrFree || port_ > 65535)
      throw UsageError(fmt::format("--port {} is not between 0 and 65535", port_));
    // Signals end the server. They are taken by a thread of their own, since a handler may do almost nothing, and
    // blocked before any other thread is there to take them.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    const TemporaryFolder uploads;
    studio::SessionOptions options;
    options.root = root_.empty() ? fs::current_path() : fs::path(root_);
    options.state = state_.empty() ? studio::stateFolder() : fs::path(state_);
    options.uploads = uploads.path();
    options.testHooks = testHooks_;
    if (!fs::is_directory(options.root))
      throw Error(ErrorCode::NotFound, "is no folder; give an existing one with --root", root_);
    options.log = [&console](const std::string& sentence) { console.note(sentence); };
    studio::Session session(options);
    if (!what_.empty()) session.open(what_);

    studio::ServerHooks hooks = session.hooks();
    hooks.log = [&console](const std::string& sentence) { console.note(sentence); };
    studio::ServerOptions network;
    network.page = pageFolder();
    network.uploads = uploads.path();
    studio::Server server = serve(std::move(network), std::move(hooks));
    std::thread waiter([&] {
      int signal = 0;
      sigwait(&signals, &signal);
      server.stop();
    });
    console.result(fmt::format("{}\n", server.address()),
                   {{"address", server.address()}, {"port", server.port()}, {"token", server.token()}});
    std::fflush(stdout);
    if (!noOpen_ && !openBrowser(server.address()))
      console.note("open this address in a browser; Ctrl-C ends the studio");
    server.run();
    waiter.join();
    session.stop();
    return Done;
  }

 private:
  /// The same address every time, where that is possible: browsers keep themes, panels and recent files by address.
  [[nodiscard]] studio::Server serve(studio::ServerOptions network, studio::ServerHooks hooks) const {
    if (port_ != kUsualOrFree) {
      network.port = static_cast<std::uint16_t>(port_);
      return {std::move(network), std::move(hooks)};
    }
    try {
      network.port = kUsualPort;
      return {network, hooks};
    } catch (const Error&) {
      network.port = 0;
      return {std::move(network), std::move(hooks)};
    }
  }

  [[nodiscard]] fs::path pageFolder() const {
    if (!page_.empty()) {
      if (!fs::is_regular_file(fs::path(page_) / "index.html"))
        throw Error(ErrorCode::NotFound, "has no index.html; build the page first (npm run build in web)", page_);
      return page_;
    }
    if (const auto found = studio::findPage()) return *found;
    throw Error(ErrorCode::NotFound, "the studio's page was not built with this program; ./run builds both");
  }

  std::string what_;
  std::int64_t port_ = kUsualOrFree;
  bool noOpen_ = false;
  bool testHooks_ = false;
  std::string root_;
  std::string state_;
  std::string page_;
};

}  // namespace

std::unique_ptr<Command> makeStudioCommand() {
  return std::make_unique<StudioCommand>();
}

}  // namespace sinew::cli
