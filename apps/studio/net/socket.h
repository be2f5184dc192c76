// The WebSocket of one page: a queue of messages in order, in which a newer message may replace a waiting one.
#pragma once

#include <utility>  // missing in Boost 1.74

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <optional>

#include "studio/net/server.h"

namespace sinew::studio::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::awaitable;
using asio::use_awaitable;
using boost::system::error_code;
using tcp = asio::ip::tcp;

/// The socket of one page. Sending, close() and full() are thread-safe; all else is used on the network's thread only.
class Socket final : public Connection, public std::enable_shared_from_this<Socket> {
 public:
  Socket(asio::io_context& context, tcp::socket socket, std::uint64_t id, std::size_t mostQueue)
      : context_(context), stream_(std::move(socket)), id_(id), mostQueue_(mostQueue) {}

  [[nodiscard]] std::uint64_t id() const override { return id_; }

  void sendText(std::string text) override { post({std::nullopt, true, Bytes(text.begin(), text.end())}); }
  void sendBinary(Bytes message) override {
    const auto key = newestKey(message);
    post({key, false, std::move(message)});
  }
  void close(std::string_view reason) override {
    asio::post(context_, [self = shared_from_this(), words = std::string(reason)] { self->shut(words); });
  }

  websocket::stream<beast::tcp_stream>& stream() { return stream_; }
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] bool full() const { return full_; }
  void markClosed() { closed_ = true; }

 private:
  struct Item {
    std::optional<std::uint64_t> key;  ///< none: never replaced
    bool text = false;
    Bytes bytes;
  };

  void post(Item item) {
    // The connection of a page that does not read is closed, to bound memory. A single message may exceed the bound.
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
    if (item.key) {
      for (Item& waiting : queue_) {
        if (waiting.key != item.key) continue;
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

  /// Immediately: a page that does not read would not read a closing frame either.
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

}  // namespace sinew::studio::net
