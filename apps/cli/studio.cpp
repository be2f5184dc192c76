// sinew studio: the browser studio.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "sinew/base/error.h"
#include "sinew/io/durable.h"
#include "studio/document/state_folder.h"
#include "studio/net/page_folder.h"
#include "studio/net/server.h"
#include "studio/session/session.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;

fs::path temporaryRoot() {
  std::error_code fault;
  fs::path root = fs::temp_directory_path(fault);
  if (!fault) return root;
  const char* asked = std::getenv("TMPDIR");
  throw Error(ErrorCode::Unwritable, "is not a folder for temporary files; set TMPDIR to an existing folder",
              asked != nullptr ? asked : "/tmp");
}

/// A folder for uploads, removed with the studio.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    clearAbandoned();
    std::string name = (temporaryRoot() / fmt::format("{}{}-XXXXXX", kBegins, ::getpid())).string();
    if (::mkdtemp(name.data()) == nullptr)
      throw Error(ErrorCode::Unwritable, "cannot create a temporary folder", temporaryRoot().string());
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
  static constexpr std::string_view kBegins = "sinew-studio-";

  /// Studios that were killed could not take theirs away.
  static void clearAbandoned() {
    std::error_code fault;
    for (const auto& entry : fs::directory_iterator(temporaryRoot(), fault)) {
      const std::string name = entry.path().filename().string();
      const std::size_t dash = name.find('-', kBegins.size());
      if (!name.starts_with(kBegins) || dash == std::string::npos) continue;
      const pid_t owner = std::atoi(name.c_str() + kBegins.size());
      if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), fault);
    }
  }

  fs::path path_;
};

constexpr const char* kOpenIt = "open this address in a browser; Ctrl-C stops the studio";

/// A page that leads to the address. Programs' arguments can be read by every user of the machine, so the browser gets
/// the name of this file, which only its owner can read, and not the token.
fs::path redirectPage(const fs::path& folder, const std::string& address) {
  fs::path page = folder / "open.html";
  writePrivateFile(page, fmt::format("<!doctype html>\n<meta charset=\"utf-8\">\n<title>Sinew Studio</title>\n"
                                     "<meta http-equiv=\"refresh\" content=\"0; url={0}\">\n"
                                     "<p><a href=\"{0}\">Open the studio</a></p>\n",
                                     address));
  return page;
}

/// Opens the address in the desktop's browser, if there is one; prints a note if there is none.
void openBrowser(const fs::path& folder, const std::string& address, const Console& console, const sigset_t& blocked) {
  const bool desktop = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  const std::string page = desktop ? redirectPage(folder, address).string() : std::string();
  const pid_t child = desktop ? ::fork() : -1;
  if (child == 0) {
    // A new session, so that Ctrl-C here does not end the browser, which must receive its own signals.
    ::setsid();
    pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
    ::execlp("xdg-open", "xdg-open", page.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  if (child < 0) return console.note(kOpenIt);
  std::thread([child, &console] {
    int status = 0;
    if (::waitpid(child, &status, 0) == child && status != 0) console.note(kOpenIt);
  }).detach();
}

constexpr std::uint16_t kUsualPort = 8731;
constexpr std::int64_t kUsualOrFree = -1;

/// Ctrl-C and SIGTERM. They are taken by a thread of their own, since a handler may do almost nothing, and blocked
/// before any other thread is there to take them.
class Signals {
 public:
  explicit Signals(std::function<void()> early) : early_(std::move(early)) {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    thread_ = std::thread([this] { wait(); });
  }
  ~Signals() { end(); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// From here on a signal stops the server; before, while a large file is read for example, it ends the program.
  void stopThis(studio::Server& server) {
    const std::scoped_lock lock(mutex_);
    server_ = &server;
  }
  /// The next signal is no longer awaited, and ends the program.
  void end() {
    if (!thread_.joinable()) return;
    ended_ = true;
    pthread_kill(thread_.native_handle(), SIGTERM);  // NOLINT(bugprone-bad-signal-to-kill-thread): it waits for one
    thread_.join();
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
  }
  [[nodiscard]] const sigset_t& set() const { return set_; }

 private:
  void wait() {
    int signal = 0;
    sigwait(&set_, &signal);
    const std::scoped_lock lock(mutex_);
    if (ended_) return;
    if (server_ != nullptr) return server_->stop();
    early_();
    ::_exit(Interrupted);
  }

  std::function<void()> early_;
  sigset_t set_{};
  std::mutex mutex_;
  studio::Server* server_ = nullptr;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

class StudioCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("FILE", what_, "a character, a folder of meshes, or sample:NAME", false);
    arguments.option("--port", "N", port_,
                     "port on 127.0.0.1; 0: a free port; default: 8731, or a free port if it is taken");
    arguments.flag("--no-open", noOpen_, "print the address, do not open a browser");
    arguments.option("--root", "DIR", root_,
                     "open and save files only below this folder; default: the current folder, or that of FILE");
    arguments.option("--state", "DIR", state_, "folder for unsaved work; default: the user's state folder");
    arguments.option("--page", "DIR", page_, "folder of the built page, if it is not next to the program");
    arguments.flag("--test-hooks", testHooks_, "expose internals to automatic tests");
  }

  int run(Console& console) override {
    if (port_ < kUsualOrFree || port_ > 65535)
      throw UsageError(fmt::format("--port {} is not between 0 and 65535", port_));
    const TemporaryFolder uploads;
    Signals signals([&uploads] {
      std::error_code ignored;
      fs::remove_all(uploads.path(), ignored);
    });
    studio::SessionOptions options;
    options.root = rootFolder();
    options.state = state_.empty() ? studio::stateFolder() : fs::path(state_);
    if (state_.empty()) studio::claimPrivateFolder(options.state);
    options.uploads = uploads.path();
    options.samplePictures = pageFolder() / "samples";
    options.testHooks = testHooks_;
    options.rules = console.rules();
    if (!fs::is_directory(options.root))
      throw Error(ErrorCode::NotFound, "is not a folder; give an existing one with --root", root_);
    options.log = [&console](const std::string& sentence) { console.note(sentence); };
    studio::Session session(options);
    if (!what_.empty()) session.open(wanted());

    studio::ServerHooks hooks = session.hooks();
    hooks.log = [&console](const std::string& sentence) { console.note(sentence); };
    studio::ServerOptions network;
    network.page = pageFolder();
    network.uploads = uploads.path();
    studio::Server server = serve(std::move(network), std::move(hooks));
    signals.stopThis(server);
    console.result(fmt::format("{}\n", server.address()),
                   {{"address", server.address()}, {"port", server.port()}, {"token", server.token()}});
    std::fflush(stdout);
    if (!noOpen_) openBrowser(uploads.path(), server.address(), console, signals.set());
    server.run();
    // Waits for work that cannot stop immediately; another signal ends the program.
    signals.end();
    session.stop();
    return Done;
  }

 private:
  /// Names are of the current folder, as everywhere, or of the root.
  [[nodiscard]] std::string wanted() const {
    std::error_code fault;
    const bool here = !what_.starts_with("sample:") && fs::exists(what_, fault);
    return here ? fs::absolute(what_).string() : what_;
  }

  /// The current folder; for a file elsewhere, its own folder.
  [[nodiscard]] fs::path rootFolder() const {
    if (!root_.empty()) return root_;
    std::error_code fault;
    fs::path here = fs::current_path();
    if (what_.empty() || what_.starts_with("sample:") || !fs::exists(what_, fault)) return here;
    const fs::path there = fs::canonical(what_, fault);
    const fs::path relative = there.lexically_relative(fs::canonical(here, fault));
    return relative.empty() || *relative.begin() == ".." ? there.parent_path() : here;
  }

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
