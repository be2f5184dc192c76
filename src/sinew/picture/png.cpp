#include "sinew/picture/png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>

#include "sinew/base/check.h"

namespace sinew::picture {
namespace {

/// libpng's simplified interface returns errors instead of long jumps; this frees its resources.
struct PngImage {
  png_image head{};
  PngImage() { head.version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(&head); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;

  [[noreturn]] void fail(ErrorCode code, const char* what) {
    throw Error(code, fmt::format("{}: {}", what, static_cast<const char*>(head.message)), "PNG");
  }
};

std::vector<std::uint8_t> withoutAlpha(const Image& image) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(image.rgba.size() / 4 * 3);
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    rgb.insert(rgb.end(), {image.rgba[i], image.rgba[i + 1], image.rgba[i + 2]});
  }
  return rgb;
}

}  // namespace

std::string encodePng(const Image& image) {
  checkImage(image, "encodePng");
  bool opaque = true;
  for (std::size_t i = 3; i < image.rgba.size() && opaque; i += 4) opaque = image.rgba[i] == 255;
  const std::vector<std::uint8_t> rgb = opaque ? withoutAlpha(image) : std::vector<std::uint8_t>{};
  const void* pixels = opaque ? rgb.data() : image.rgba.data();

  PngImage png;
  png.head.width = static_cast<png_uint_32>(image.width);
  png.head.height = static_cast<png_uint_32>(image.height);
  png.head.format = opaque ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(png.head), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&png.head, bytes.data(), &size, 0, pixels, 0, nullptr) == 0) {
    png.fail(ErrorCode::Internal, "the picture cannot be written");
  }
  bytes.resize(size);
  return bytes;
}

Image decodePng(std::string_view bytes) {
  PngImage png;
  if (png_image_begin_read_from_memory(&png.head, bytes.data(), bytes.size()) == 0) {
    png.fail(ErrorCode::Unreadable, "the data is not a PNG image");
  }
  if (png.head.width > kMaxImageSize || png.head.height > kMaxImageSize) {
    throw Error(
        ErrorCode::Unreadable,
        fmt::format("a picture of {} x {} pixels is larger than {}", png.head.width, png.head.height, kMaxImageSize),
        "PNG");
  }
  png.head.format = PNG_FORMAT_RGBA;
  Image image(static_cast<int>(png.head.width), static_cast<int>(png.head.height), {});
  if (png_image_finish_read(&png.head, nullptr, image.rgba.data(), 0, nullptr) == 0) {
    png.fail(ErrorCode::Unreadable, "the PNG image is damaged");
  }
  return image;
}

}  // namespace sinew::picture
