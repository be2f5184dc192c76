// PNG in memory. The caller writes the file; `picture` has no file access.
#pragma once

#include <string>
#include <string_view>

#include "sinew/picture/image.h"

namespace sinew::picture {

/// The bytes of a PNG file; without an alpha channel where every pixel is opaque.
std::string encodePng(const Image& image);

/// The picture in the bytes of a PNG file, of any PNG kind. Throws Error(Unreadable) on anything else.
Image decodePng(std::string_view bytes);

}  // namespace sinew::picture
