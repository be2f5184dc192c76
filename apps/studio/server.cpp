#include "server.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <utility>  // Boost 1.74 forgets it

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "command_json.h"
#include "http_rules.h"
#include "sinew/base/error.h"
#include "sinew/io/files.h"

namespace sinew::studio {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::awaitable;
using asio::use_awaitable;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr auto kPause = std::chrono::milliseconds(100);
constexpr std::size_t kMostWaiting = 256;
constexpr std::size_t kMostFirstMessage = 256 << 10;
constexpr std::size_t kMostBody = 1 << 20;
constexpr unsigned kTooLong = 413;
constexpr unsigned kNotFound = 404;
constexpr auto kCatchUp = std::chrono::milliseconds(2);

/// The socket of one page. All members but the queue's door are touched on the network's thread only.
class Socket final : public Connection, public std::enable_shared_from_this<Socket> {
 public:
  Socket(asio::io_context& context, tcp::socket socket, std::uint64_t id, std::size_t mostQueue)
      : context_(context), stream_(std::move(socket)), id_(id), mostQueue_(mostQueue) {}

  [[nodiscard]] std::uint64_t id() const override { return id_; }

  void sendText(std::string text) override { post({0, true, Bytes(text.begin(), text.end())}); }
  void sendBinary(Bytes message) override { post({0, false, std::move(message)}); }
  void sendNewest(std::uint16_t kind, Bytes message) override { post({kind, false, std::move(message)}); }
  void close(std::string_view reason) override {
    asio::post(context_, [self = shared_from_this(), words = std::string(reason)] { self->shut(words); });
  }

  websocket::stream<beast::tcp_stream>& stream() { return stream_; }
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] bool full() const { return full_; }
  void markClosed() { closed_ = true; }

 private:
  struct Item {
    std::uint16_t kind = 0;  ///< 0: never replaced
    bool text = false;
    Bytes bytes;
  };

  void post(Item item) {
    // A page that does not read is let go, rather than kept in memory. One message may be longer than the bound.
    const std::size_t bytes = item.bytes.size();
    if (full_) return;
    if (queued_.load() > mostQueue_) {
      if (!full_.exchange(true)) asio::post(context_, [self = shared_from_this()] { self->drop(); });
      return;
    }
    queued_ += bytes;
    asio::post(context_,
               [self = shared_from_this(), item = std::move(item)]() mutable { self->enqueue(std::move(item)); });
  }

  void enqueue(Item item) {
    if (closed_) return;
    if (item.kind != 0) {
      for (Item& waiting : queue_) {
        if (waiting.kind != item.kind) continue;
        queued_ -= waiting.bytes.size();
        waiting = std::move(item);
        return;
      }
    }
    queue_.push_back(std::move(item));
    if (!writing_) {
      writing_ = true;
      asio::co_spawn(
          context_, [self = shared_from_this()] { return self->write(); }, asio::detached);
    }
  }

  awaitable<void> write() {
    while (!queue_.empty() && !closed_) {
      sending_ = std::move(queue_.front());
      queue_.pop_front();
      stream_.text(sending_.text);
      error_code fault;
      co_await stream_.async_write(asio::buffer(sending_.bytes), asio::redirect_error(use_awaitable, fault));
      queued_ -= sending_.bytes.size();
      sending_ = {};
      if (fault) {
        closed_ = true;
        beast::get_lowest_layer(stream_).cancel();
      }
    }
    writing_ = false;
  }

  /// At once: a page that does not read would not read a closing frame either.
  void drop() {
    closed_ = true;
    queue_.clear();
    beast::get_lowest_layer(stream_).close();
  }

  void shut(const std::string& words) {
    if (closed_) return;
    closed_ = true;
    asio::co_spawn(
        context_,
        [self = shared_from_this(), words]() -> awaitable<void> {
          error_code fault;
          // Reasons of a closing frame have at most 123 bytes.
          const websocket::close_reason reason(websocket::close_code::policy_error, words.substr(0, 120));
          co_await self->stream_.async_close(reason, asio::redirect_error(use_awaitable, fault));
          beast::get_lowest_layer(self->stream_).cancel();
        },
        asio::detached);
  }

  asio::io_context& context_;
  websocket::stream<beast::tcp_stream> stream_;
  std::uint64_t id_;
  std::deque<Item> queue_;
  Item sending_;
  std::size_t mostQueue_;
  std::atomic<std::size_t> queued_ = 0;  // bytes posted and not sent
  std::atomic<bool> full_ = false;
  bool writing_ = false;
  bool closed_ = false;
};

std::string randomToken() {
  std::array<std::uint8_t, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(ErrorCode::Internal, "the system gives no random numbers");
  std::string token;
  for (const std::uint8_t byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

struct Server::Impl {
  Impl(ServerOptions given, ServerHooks callbacks)
      : options(std::move(given)), hooks(std::move(callbacks)), context(1), acceptor(context) {
    if (options.token.empty()) options.token = randomToken();
    const tcp::endpoint endpoint(asio::ip::make_address("127.0.0.1"), options.port);
    error_code fault;
    acceptor.open(endpoint.protocol());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(endpoint, fault);
    if (!fault) acceptor.listen(asio::socket_base::max_listen_connections, fault);
    if (fault)
      throw Error(ErrorCode::BadInput,
                  fmt::format("port {} of 127.0.0.1 cannot be opened ({}); choose another with --port", options.port,
                              fault.message()));
    options.port = acceptor.local_endpoint().port();
    rules = {.port = options.port, .token = options.token};
  }

  void log(const std::string& sentence) const {
    if (hooks.log) hooks.log(printable(sentence));
  }

  awaitable<void> accept() {
    for (;;) {
      error_code fault;
      tcp::socket socket = co_await acceptor.async_accept(asio::redirect_error(use_awaitable, fault));
      if (fault == asio::error::operation_aborted) co_return;
      if (fault) {
        // Out of descriptors, say. At once it would fail again.
        log(fmt::format("a connection was not taken ({})", fault.message()));
        asio::steady_timer pause(context, kPause);
        co_await pause.async_wait(asio::redirect_error(use_awaitable, fault));
        continue;
      }
      socket.set_option(tcp::no_delay(true), fault);
      try {
        asio::co_spawn(context, serve(std::move(socket)), asio::detached);
      } catch (const std::bad_alloc&) {
        log("a connection was not taken (no memory)");
      }
    }
  }

  /// The head of a request. Whoever opens many connections and says nothing loses the oldest of them.
  awaitable<void> readHead(beast::tcp_stream& stream, beast::flat_buffer& buffer,
                           http::request_parser<http::empty_body>& parser, error_code& fault) {
    stream.expires_after(options.idle);
    parser.header_limit(16 << 10);
    parser.body_limit(options.mostUpload);
    if (waiting.size() >= kMostWaiting) {
      log(fmt::format("let go of a connection that says nothing: {} are open", waiting.size()));
      waiting.begin()->second->cancel();
      waiting.erase(waiting.begin());
    }
    const std::uint64_t number = ++heads;
    waiting[number] = &stream;
    co_await http::async_read_header(stream, buffer, parser, asio::redirect_error(use_awaitable, fault));
    waiting.erase(number);
    if (fault == http::error::body_limit || fault == http::error::header_limit) {
      log("refused a request that is too long");
    } else if (fault && fault.category() == http::make_error_code(http::error::bad_version).category() &&
               fault != http::error::end_of_stream && fault != http::error::partial_message) {
      log(fmt::format("refused what is no request ({})", fault.message()));
    } else if (fault == beast::error::timeout && buffer.size() > 0) {
      log("refused a request that did not come to its end");
    }
  }

  awaitable<void> serve(tcp::socket socket) {
    beast::tcp_stream stream(std::move(socket));
    beast::flat_buffer buffer;
    for (;;) {
      http::request_parser<http::empty_body> parser;
      error_code fault;
      co_await readHead(stream, buffer, parser, fault);
      if (fault) co_return;
      const auto& head = parser.get();
      const Refusal refusal = check(head);
      if (refusal.status == 0 && websocket::is_upgrade(head)) {
        co_await upgrade(std::move(stream), http::request<http::empty_body>(head));
        co_return;
      }
      // A body that no one asked for would be taken for the next request.
      const bool reads = head.method() == http::verb::get || head.method() == http::verb::head;
      const bool stray = reads && (parser.chunked() || parser.content_length().value_or(0) > 0);
      bool keep = head.keep_alive() && refusal.status == 0 && !stray;
      HttpResponse response;
      if (refusal.status != 0) {
        log(fmt::format("refused {} {}: {}", view(head.method_string()), view(head.target()), refusal.reason));
        response = {refusal.status, "text/plain; charset=utf-8", refusal.reason + "\n", nullptr, false};
      } else {
        response = co_await answer(stream, buffer, parser, fault);
        if (fault) co_return;
        if (response.status == kTooLong) keep = false;  // what is left of it
        if (response.status == kNotFound)
          log(fmt::format("refused {} {}: there is nothing", view(head.method_string()), view(head.target())));
      }
      co_await reply(stream, head, std::move(response), keep, fault);
      if (fault || !keep) {
        stream.socket().shutdown(tcp::socket::shutdown_send, fault);
        co_return;
      }
    }
  }

  Refusal check(const http::request_header<>& head) const {
    RequestFacts facts;
    facts.method = view(head.method_string());
    facts.target = view(head.target());
    facts.host = view(head[http::field::host]);
    facts.origin = view(head[http::field::origin]);
    facts.token = view(head["X-Sinew-Token"]);
    facts.upgrade = websocket::is_upgrade(http::request<http::empty_body>(head));
    return refusalOf(rules, facts);
  }

  /// Reads the body, and asks the page's folder or the session.
  awaitable<HttpResponse> answer(beast::tcp_stream& stream, beast::flat_buffer& buffer,
                                 http::request_parser<http::empty_body>& head, error_code& fault) {
    HttpRequest request;
    request.method = std::string(view(head.get().method_string()));
    splitTarget(view(head.get().target()), request.path, request.query);
    if (request.method == "POST" || request.method == "PUT") {
      if (request.path.starts_with("/upload/")) {
        co_await receiveFile(stream, buffer, head, request, fault);
      } else {
        // What the head says was checked against the limit of uploads only.
        const auto length = head.content_length();
        http::request_parser<http::string_body> parser(std::move(head));
        parser.body_limit(kMostBody);
        if (length && *length > kMostBody) {
          fault = http::error::body_limit;
        } else {
          co_await http::async_read(stream, buffer, parser, asio::redirect_error(use_awaitable, fault));
        }
        request.body = std::move(parser.get().body());
      }
      if (fault == http::error::body_limit) {
        fault = {};
        log(fmt::format("refused {} {}: the body is too long", request.method, request.path));
        co_return HttpResponse{kTooLong, "text/plain; charset=utf-8", "the body is too long\n", nullptr, false};
      }
      if (fault) co_return HttpResponse{};
    }
    if (request.method == "GET" || request.method == "HEAD") {
      if (auto file = pageFile(request.path)) co_return std::move(*file);
    }
    try {
      co_return hooks.request ? hooks.request(request)
                              : HttpResponse{404, "text/plain; charset=utf-8", "not found\n", nullptr, false};
    } catch (const std::exception& error) {
      std::error_code ignored;
      if (!request.bodyFile.empty()) std::filesystem::remove(request.bodyFile, ignored);
      log(fmt::format("{} {} failed: {}", request.method, request.path, error.what()));
      co_return HttpResponse{500, "text/plain; charset=utf-8", std::string(error.what()) + "\n", nullptr, false};
    }
  }

  /// Files that the page sends go to disk as they come.
  awaitable<void> receiveFile(beast::tcp_stream& stream, beast::flat_buffer& buffer,
                              http::request_parser<http::empty_body>& head, HttpRequest& request, error_code& fault) {
    request.bodyFile = options.uploads / fmt::format("upload{}", ++uploads);
    http::request_parser<http::file_body> parser(std::move(head));
    parser.body_limit(options.mostUpload);
    parser.get().body().open(request.bodyFile.c_str(), beast::file_mode::write, fault);
    if (fault) co_return;
    while (!parser.is_done() && !fault) {
      stream.expires_after(options.idle);
      co_await http::async_read_some(stream, buffer, parser, asio::redirect_error(use_awaitable, fault));
    }
    parser.get().body().close();
    std::error_code ignored;
    if (fault) std::filesystem::remove(request.bodyFile, ignored);
  }

  [[nodiscard]] std::optional<HttpResponse> pageFile(const std::string& path) const {
    const std::filesystem::path file = options.page / (path == "/" ? "index.html" : path.substr(1));
    std::error_code fault;
    if (options.page.empty() || !std::filesystem::is_regular_file(file, fault)) return std::nullopt;
    // Links inside of the folder must not lead out of it.
    const auto real = std::filesystem::canonical(file, fault);
    const auto home = std::filesystem::canonical(options.page, fault);
    const auto relative = real.lexically_relative(home);
    if (fault || relative.empty() || *relative.begin() == "..") {
      log(fmt::format("refused {}: it leads out of the page's folder", path));
      return std::nullopt;
    }
    HttpResponse response;
    response.type = typeOfFile(file.extension().string());
    response.body = readFile(real);
    response.immutable = path.starts_with("/assets/");
    return response;
  }

  awaitable<void> reply(beast::tcp_stream& stream, const http::request_header<>& head, HttpResponse response, bool keep,
                        error_code& fault) {
    const auto status = static_cast<http::status>(response.status);
    const auto dress = [&](auto& message) {
      message.set(http::field::content_type, response.type);
      message.set(http::field::cache_control, response.immutable ? "private, max-age=31536000, immutable" : "no-store");
      for (const auto& [name, value] : kSafetyHeaders)
        message.set(beast::string_view(name.data(), name.size()), beast::string_view(value.data(), value.size()));
      message.keep_alive(keep);
      message.prepare_payload();
    };
    stream.expires_after(options.idle);
    if (response.blob) {
      http::response<http::span_body<const std::uint8_t>> message(
          status, head.version(), beast::span<const std::uint8_t>(response.blob->data(), response.blob->size()));
      dress(message);
      co_await http::async_write(stream, message, asio::redirect_error(use_awaitable, fault));
    } else {
      http::response<http::string_body> message(status, head.version(), std::move(response.body));
      dress(message);
      http::response_serializer<http::string_body> serializer(message);
      serializer.split(head.method() == http::verb::head);
      if (head.method() == http::verb::head) {
        co_await http::async_write_header(stream, serializer, asio::redirect_error(use_awaitable, fault));
      } else {
        co_await http::async_write(stream, message, asio::redirect_error(use_awaitable, fault));
      }
    }
  }

  awaitable<void> upgrade(beast::tcp_stream stream, http::request<http::empty_body> head) {
    if (strangers >= kMostStrangers) {
      log(fmt::format("refused a page: {} have not shown the token yet", strangers));
      co_return;
    }
    Stranger stranger(strangers);
    auto socket = std::make_shared<Socket>(context, stream.release_socket(), ++connections, options.mostQueue);
    auto& ws = socket->stream();
    // Until it has shown the token it may neither wait nor say much.
    ws.set_option(websocket::stream_base::timeout{options.idle, options.idle, false});
    ws.read_message_max(kMostFirstMessage);
    ws.auto_fragment(false);
    error_code fault;
    co_await ws.async_accept(head, asio::redirect_error(use_awaitable, fault));
    if (fault) co_return;
    bool known = false;
    beast::flat_buffer buffer;
    while (!socket->closed()) {
      buffer.clear();
      co_await ws.async_read(buffer, asio::redirect_error(use_awaitable, fault));
      if (fault) break;
      const std::span<const std::uint8_t> bytes(static_cast<const std::uint8_t*>(buffer.data().data()), buffer.size());
      if (!known) {
        known = ws.got_text() && showsToken({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        if (!known) {
          log("refused a page that does not show the token in its first message");
          socket->close("show the token first");
          break;
        }
        ws.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
        ws.read_message_max(options.mostMessage);
        sockets[socket->id()] = socket;
        stranger.greeted();
        if (hooks.opened) hooks.opened(socket);
      }
      dispatch(socket, ws.got_text(), bytes);
      while (hooks.busy && hooks.busy() && !socket->closed()) {
        asio::steady_timer pause(context, kCatchUp);
        co_await pause.async_wait(asio::redirect_error(use_awaitable, fault));
      }
    }
    if (fault == websocket::error::message_too_big)
      log(fmt::format("refused a message of more than {} bytes", known ? options.mostMessage : kMostFirstMessage));
    if (!known && fault == beast::error::timeout) log("refused a page that does not show the token");
    if (known && fault && fault.category() == websocket::make_error_code(websocket::error::bad_opcode).category() &&
        fault != websocket::error::closed && fault != websocket::error::message_too_big)
      log(fmt::format("refused what is no message ({})", fault.message()));
    if (socket->full()) log("let go of a page that does not read its messages");
    socket->markClosed();
    sockets.erase(socket->id());
    if (known && hooks.closed) hooks.closed(socket);
  }

  [[nodiscard]] bool showsToken(std::string_view text) const {
    const auto json = parseCommand(text);
    return json.is_object() && json.contains("cmd") && json["cmd"] == "hello" && json.contains("args") &&
           json["args"].is_object() && json["args"].contains("token") && json["args"]["token"].is_string() &&
           sameSecret(json["args"]["token"].get<std::string>(), options.token);
  }

  void dispatch(const std::shared_ptr<Socket>& socket, bool text, std::span<const std::uint8_t> bytes) const {
    try {
      if (text && hooks.text) hooks.text(socket, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      if (!text && hooks.binary) hooks.binary(socket, bytes);
    } catch (const std::exception& error) {
      // It has no answer: the page connects anew and asks for what there is.
      socket->close("the studio could not take a message");
      log(fmt::format("a message failed: {}", error.what()));
    }
  }

  /// A socket that has not shown the token.
  class Stranger {
   public:
    explicit Stranger(std::size_t& count) : count_(&count) { ++count; }
    ~Stranger() { greeted(); }
    Stranger(const Stranger&) = delete;
    Stranger& operator=(const Stranger&) = delete;
    void greeted() {
      if (count_ != nullptr) --*count_;
      count_ = nullptr;
    }

   private:
    std::size_t* count_;
  };

  std::size_t strangers = 0;  // before what may still count them when it ends
  ServerOptions options;
  ServerHooks hooks;
  asio::io_context context;
  tcp::acceptor acceptor;
  HttpRules rules;
  std::unordered_map<std::uint64_t, std::shared_ptr<Socket>> sockets;
  std::map<std::uint64_t, beast::tcp_stream*> waiting;  // for the head of a request, the oldest first
  std::uint64_t heads = 0;
  std::uint64_t connections = 0;
  std::uint64_t uploads = 0;
};

Server::Server(ServerOptions options, ServerHooks hooks)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(hooks))) {}

Server::~Server() = default;

std::uint16_t Server::port() const {
  return impl_->options.port;
}

const std::string& Server::token() const {
  return impl_->options.token;
}

std::string Server::address() const {
  return fmt::format("http://127.0.0.1:{}/#token={}", port(), token());
}

void Server::run() {
  asio::co_spawn(impl_->context, impl_->accept(), asio::detached);
  for (;;) {
    try {
      impl_->context.run();
      return;
    } catch (const std::bad_alloc&) {
      // One thing could not be done; the others go on.
    }
  }
}

void Server::stop() {
  impl_->context.stop();
}

}  // namespace sinew::studio
