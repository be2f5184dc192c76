// URIs of buffers and images: data URIs, percent encoding, and relative paths.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sinew {

bool isDataUri(std::string_view uri);

/// The bytes of a data URI, base64 or percent-encoded. `where` is the position for errors.
std::string decodeDataUri(std::string_view uri, const std::string& where);

std::string encodeBase64(std::string_view bytes);

/// "a%20b" to "a b"; a % without two hexadecimal digits stays.
std::string decodePercent(std::string_view uri);
/// The reverse, for file names: all but letters, digits, bytes above 127 and -_.~ become %XX.
std::string encodePercent(std::string_view name);

/// The existing regular file of a relative URI, or nothing. Absolute paths and other schemes (https:) give nothing.
/// Throws if the file is outside `root` (FileRules).
std::optional<std::filesystem::path> resolveUri(std::string_view uri, const std::filesystem::path& folder,
                                                const std::filesystem::path& root);

/// True for URIs that are not relative file names: "https://...", "/abs", "C:\...".
bool leavesFolderTree(std::string_view uri);

}  // namespace sinew
