// .pc2: "POINTCACHE2" and a zero byte; version, points (32-bit); first frame, frames per sample (float); samples
// (32-bit); then x y z of every point, sample after sample; little-endian.
// .mdd: frames, points (32-bit); a time in seconds per frame; then x y z as above; all floats, big-endian.
#include "sinew/io/point_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "sinew/base/check.h"
#include "sinew/base/error.h"
#include "sinew/io/files.h"

namespace sinew {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMagic("POINTCACHE2\0", 12);
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kPc2Header = 32;
constexpr std::size_t kMddHeader = 8;
constexpr std::size_t kMostCount = std::numeric_limits<std::int32_t>::max();
/// Of a frame: tolerance of evenly spaced times in a .pc2.
constexpr double kEven = 1e-3;

enum class Order { Little, Big };

std::string extensionOf(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

std::uint32_t word(const char* bytes, Order order) {
  std::uint32_t value = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned shift = order == Order::Little ? 8 * k : 24 - 8 * k;
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[k])) << shift;
  }
  return value;
}

double number(const char* bytes, Order order) {
  return static_cast<double>(std::bit_cast<float>(word(bytes, order)));
}

void append(std::string& bytes, std::uint32_t value, Order order) {
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned shift = order == Order::Little ? 8 * k : 24 - 8 * k;
    bytes.push_back(static_cast<char>(value >> shift & 0xffu));
  }
}

void append(std::string& bytes, double value, Order order) {
  append(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(value)), order);
}

[[noreturn]] void refuseFile(const std::string& fault) {
  throw Error(ErrorCode::Unreadable, fault + "; export it again");
}

/// Both are above 0 and make exactly the bytes that are there.
void checkSizes(std::uint32_t points, std::uint32_t frames, std::size_t header, std::size_t perFrame,
                std::size_t bytes) {
  if (points == 0 || frames == 0 || points > kMostCount || frames > kMostCount)
    refuseFile(fmt::format("declares {} frames of {} points, which is none or too many", frames, points));
  const double wanted =
      static_cast<double>(header) + static_cast<double>(frames) * (static_cast<double>(perFrame) + 12.0 * points);
  if (static_cast<double>(bytes) != wanted) {
    refuseFile(fmt::format("has {} bytes where {} frames of {} points need {:.0f}", bytes, frames, points, wanted));
  }
}

/// What precedes the frames.
struct Layout {
  std::uint32_t points = 0;
  std::size_t start = 0;  // of the first frame, bytes
  std::vector<double> times;
};

/// `bytes`: of the whole file; `head` has its first ones.
Layout pc2Layout(const std::string& head, std::size_t bytes) {
  if (head.size() < kPc2Header || head.compare(0, kMagic.size(), kMagic) != 0)
    refuseFile("does not begin like a .pc2 point cache");
  const char* header = head.data() + kMagic.size();
  if (word(header, Order::Little) != kVersion) {
    refuseFile(fmt::format("has version {}; only {} is supported", word(header, Order::Little), kVersion));
  }
  const std::uint32_t points = word(header + 4, Order::Little);
  const double first = number(header + 8, Order::Little);
  const double rate = number(header + 12, Order::Little);
  const std::uint32_t samples = word(header + 16, Order::Little);
  checkSizes(points, samples, kPc2Header, 0, bytes);
  if (!std::isfinite(first) || !(rate > 0) || !std::isfinite(rate))
    refuseFile(fmt::format("starts at frame {} with {} frames per sample, which is not a valid time", first, rate));
  Layout layout{points, kPc2Header, {}};
  for (std::uint32_t s = 0; s < samples; ++s) layout.times.push_back((first + s * rate) / kPointCacheFrames);
  return layout;
}

Layout mddLayout(const std::string& head, std::size_t bytes, std::ifstream& stream) {
  if (head.size() < kMddHeader) refuseFile(fmt::format("has only {} bytes", bytes));
  const std::uint32_t frames = word(head.data(), Order::Big);
  const std::uint32_t points = word(head.data() + 4, Order::Big);
  checkSizes(points, frames, kMddHeader, 4, bytes);
  std::string times(4 * std::size_t{frames}, '\0');
  stream.seekg(kMddHeader);
  if (!stream.read(times.data(), static_cast<std::streamsize>(times.size()))) refuseFile("cannot be read to its end");
  Layout layout{points, kMddHeader + times.size(), {}};
  for (std::uint32_t f = 0; f < frames; ++f) {
    const double time = number(times.data() + 4 * std::size_t{f}, Order::Big);
    if (!std::isfinite(time) || (f > 0 && time < layout.times.back()))
      refuseFile(fmt::format("has the time {} at frame {}, but times must be finite and must not decrease", time, f));
    layout.times.push_back(time);
  }
  return layout;
}

std::vector<double> timesOf(const PointCache& cache) {
  if (!cache.times.empty()) return cache.times;
  std::vector<double> times(cache.frames.size());
  for (std::size_t f = 0; f < times.size(); ++f) times[f] = static_cast<double>(f) / kPointCacheFrames;
  return times;
}

std::string pc2Header(const PointCache& cache, const std::vector<double>& times) {
  const double first = times.front() * kPointCacheFrames;
  const double rate =
      times.size() < 2 ? 1 : (times.back() - times.front()) * kPointCacheFrames / static_cast<double>(times.size() - 1);
  for (std::size_t f = 0; f < times.size(); ++f) {
    const double even = first + static_cast<double>(f) * rate;
    if (rate > 0 && std::abs(times[f] * kPointCacheFrames - even) <= kEven) continue;
    throw Error(
        ErrorCode::Unwritable,
        fmt::format("frame {} is at {} s, but the frames of a .pc2 are evenly spaced; write an .mdd", f, times[f]));
  }
  std::string bytes(kMagic);
  append(bytes, kVersion, Order::Little);
  append(bytes, static_cast<std::uint32_t>(cache.frames.front().cols()), Order::Little);
  append(bytes, first, Order::Little);
  append(bytes, rate, Order::Little);
  append(bytes, static_cast<std::uint32_t>(cache.frames.size()), Order::Little);
  return bytes;
}

std::string mddHeader(const PointCache& cache, const std::vector<double>& times) {
  std::string bytes;
  append(bytes, static_cast<std::uint32_t>(cache.frames.size()), Order::Big);
  append(bytes, static_cast<std::uint32_t>(cache.frames.front().cols()), Order::Big);
  for (const double time : times) append(bytes, time, Order::Big);
  return bytes;
}

void checkCache(const PointCache& cache) {
  SINEW_CHECK(!cache.frames.empty() && cache.frames.front().cols() > 0, "",
              "there is nothing to write: no frames or no points");
  SINEW_CHECK(cache.times.empty() || cache.times.size() == cache.frames.size(), "",
              fmt::format("{} times for {} frames", cache.times.size(), cache.frames.size()));
  for (std::size_t f = 0; f < cache.frames.size(); ++f) {
    SINEW_CHECK(cache.frames[f].cols() == cache.frames.front().cols(), "",
                fmt::format("frame {} has {} points, the first has {}; all frames of a cache must be of the same mesh",
                            f, cache.frames[f].cols(), cache.frames.front().cols()));
    SINEW_CHECK(cache.frames[f].cast<float>().allFinite(), "",
                fmt::format("frame {} has a value that is not finite in 32 bits", f));
  }
}

}  // namespace

bool isPointCache(const fs::path& path) {
  const std::string extension = extensionOf(path);
  return extension == ".pc2" || extension == ".mdd";
}

bool countsFrames(const fs::path& path) {
  return extensionOf(path) == ".pc2";
}

PointCacheFile::PointCacheFile(const fs::path& path) : path_(path) {
  SINEW_CHECK(isPointCache(path), path.string(), "does not have the extension of a point cache; use .pc2 or .mdd");
  const std::uintmax_t bytes = checkPlainFile(path);
  stream_.open(path, std::ios::binary);
  try {
    readHeader(bytes);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

void PointCacheFile::readHeader(std::uintmax_t bytes) {
  if (!stream_) refuseFile("cannot be opened");
  if (bytes == 0) refuseFile("is empty");
  std::string head(std::min<std::uintmax_t>(bytes, kPc2Header), '\0');
  if (!stream_.read(head.data(), static_cast<std::streamsize>(head.size()))) refuseFile("cannot be read to its end");
  Layout layout = countsFrames(path_) ? pc2Layout(head, bytes) : mddLayout(head, bytes, stream_);
  points_ = static_cast<Index>(layout.points);
  start_ = layout.start;
  times_ = std::move(layout.times);
}

void PointCacheFile::read(std::size_t frame, Points& points) {
  const Order order = countsFrames(path_) ? Order::Little : Order::Big;
  std::string bytes(12 * toSize(points_), '\0');
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(start_ + frame * bytes.size()));
  try {
    if (!stream_.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      refuseFile("cannot be read to its end");
    points.resize(3, points_);
    const char* from = bytes.data();
    for (Index i = 0; i < points.size(); ++i, from += 4) points.data()[i] = number(from, order);
    const Index bad = firstNonFinite(points);
    if (bad >= 0) refuseFile(fmt::format("point {} of frame {} is not a finite number", bad, frame));
  } catch (const Error& error) {
    throw error.in(path_.string());
  }
}

PointCache readPointCache(const fs::path& path, const Progress& progress) {
  PointCacheFile file(path);
  PointCache cache{std::vector<Points>(file.times().size()), file.times()};
  for (std::size_t f = 0; f < cache.frames.size(); ++f) {
    report(progress, {static_cast<double>(f) / static_cast<double>(cache.frames.size()), "reading"});
    file.read(f, cache.frames[f]);
  }
  return cache;
}

void writePointCache(const fs::path& path, const PointCache& cache, OutputFiles* into, const Progress& progress) {
  SINEW_CHECK(isPointCache(path), path.string(), "does not have the extension of a point cache; use .pc2 or .mdd");
  try {
    checkCache(cache);
    const std::vector<double> times = timesOf(cache);
    const bool pc2 = countsFrames(path);
    const Order order = pc2 ? Order::Little : Order::Big;
    std::string bytes = pc2 ? pc2Header(cache, times) : mddHeader(cache, times);
    bytes.reserve(bytes.size() + 12 * cache.frames.size() * toSize(cache.frames.front().cols()));
    for (std::size_t f = 0; f < cache.frames.size(); ++f) {
      report(progress, {static_cast<double>(f) / static_cast<double>(cache.frames.size()), "writing"});
      for (const double value : cache.frames[f].reshaped()) append(bytes, value, order);
    }
    putFile(path, bytes, into);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

}  // namespace sinew
