#include "studio/net/server.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "sinew/base/error.h"
#include "studio/net/http_rules.h"
#include "studio/net/page_folder.h"
#include "studio/net/socket.h"
#include "studio/untrusted_json.h"

namespace sinew::studio {

using namespace net;

namespace {

constexpr auto kPause = std::chrono::milliseconds(100);
constexpr std::size_t kMostWaiting = 256;
constexpr std::size_t kMostFirstMessage = 256 << 10;
constexpr std::size_t kMostBody = 1 << 20;
constexpr unsigned kTooLong = 413;
constexpr unsigned kNotFound = 404;
constexpr auto kCatchUp = std::chrono::milliseconds(2);

std::string randomToken() {
  std::array<std::uint8_t, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(ErrorCode::Internal, "the system provides no random numbers");
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
        // For example out of descriptors. An immediate retry would fail again.
        log(fmt::format("could not accept a connection ({})", fault.message()));
        asio::steady_timer pause(context, kPause);
        co_await pause.async_wait(asio::redirect_error(use_awaitable, fault));
        continue;
      }
      socket.set_option(tcp::no_delay(true), fault);
      try {
        asio::co_spawn(context, serve(std::move(socket)), asio::detached);
      } catch (const std::bad_alloc&) {
        log("could not accept a connection (no memory)");
      }
    }
  }

  /// The head of a request. Among many connections that send nothing, the oldest is closed.
  awaitable<void> readHead(beast::tcp_stream& stream, beast::flat_buffer& buffer,
                           http::request_parser<http::empty_body>& parser, error_code& fault) {
    stream.expires_after(options.idle);
    parser.header_limit(16 << 10);
    parser.body_limit(options.mostUpload);
    if (waiting.size() >= kMostWaiting) {
      log(fmt::format("closed an idle connection: {} are open", waiting.size()));
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
      log(fmt::format("rejected a malformed request ({})", fault.message()));
    } else if (fault == beast::error::timeout && buffer.size() > 0) {
      log("refused an incomplete request");
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
      // An unread body would be parsed as the next request.
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
        if (response.status == kTooLong) keep = false;  // the rest of the body is unread
        if (response.status == kNotFound)
          log(fmt::format("refused {} {}: not found", view(head.method_string()), view(head.target())));
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

  /// Reads the body and answers from the page's folder or the session.
  awaitable<HttpResponse> answer(beast::tcp_stream& stream, beast::flat_buffer& buffer,
                                 http::request_parser<http::empty_body>& head, error_code& fault) {
    HttpRequest request;
    request.method = std::string(view(head.get().method_string()));
    splitTarget(view(head.get().target()), request.path, request.query);
    if (request.method == "POST" || request.method == "PUT") {
      if (request.path.starts_with("/upload/")) {
        co_await receiveFile(stream, buffer, head, request, fault);
      } else {
        // The length in the head was only checked against the limit for uploads.
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
      if (auto file = pageFile(options.page, request.path, [this](const std::string& words) { log(words); }))
        co_return std::move(*file);
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

  /// Uploads are streamed to disk.
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
      log(fmt::format("refused a page: {} others have not sent the token yet", strangers));
      co_return;
    }
    Stranger stranger(strangers);
    auto socket = std::make_shared<Socket>(context, stream.release_socket(), ++connections, options.mostQueue);
    auto& ws = socket->stream();
    // Until it has sent the token, time and message size are limited.
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
          log("refused a page that did not send the token in its first message");
          socket->close("send the token first");
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
    if (!known && fault == beast::error::timeout) log("refused a page that did not send the token");
    if (known && fault && fault.category() == websocket::make_error_code(websocket::error::bad_opcode).category() &&
        fault != websocket::error::closed && fault != websocket::error::message_too_big)
      log(fmt::format("rejected a malformed message ({})", fault.message()));
    if (socket->full()) log("closed a page that does not read its messages");
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
      // There is no answer: the page reconnects and requests the current state.
      socket->close("the studio could not take a message");
      log(fmt::format("a message failed: {}", error.what()));
    }
  }

  /// A socket that has not sent the token yet.
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

  std::size_t strangers = 0;  // first: sockets that `context` still holds change it when they are destroyed
  ServerOptions options;
  ServerHooks hooks;
  asio::io_context context;
  tcp::acceptor acceptor;
  HttpRules rules;
  std::unordered_map<std::uint64_t, std::shared_ptr<Socket>> sockets;
  std::map<std::uint64_t, beast::tcp_stream*> waiting;  // waiting for the head of a request, the oldest first
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
      // One operation failed; the server keeps running.
    }
  }
}

void Server::stop() {
  impl_->context.stop();
}

}  // namespace sinew::studio
