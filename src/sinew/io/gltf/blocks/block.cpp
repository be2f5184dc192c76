#include "sinew/io/gltf/blocks/block.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace sinew::gltf {

const Json* findBlock(const Json& root, const char* name) {
  const Json* extensions = find(root, "extensions");
  return extensions == nullptr ? nullptr : find(*extensions, name);
}

void putBlock(Json& root, const char* name, Json block) {
  setExtensionUsed(root, name, true);
  root["extensions"][name] = std::move(block);
}

void eraseBlock(Json& root, const char* name) {
  if (findBlock(root, name) == nullptr) return;
  Json& extensions = root["extensions"];
  extensions.erase(name);
  if (extensions.empty()) root.erase("extensions");
  setExtensionUsed(root, name, false);
}

void setExtensionUsed(Json& root, const char* name, bool used) {
  Json list = Json::array();
  for (const Json& other : listOf(root, "extensionsUsed", "")) {
    if (other != name) list.push_back(other);
  }
  if (used) list.push_back(name);
  if (list.empty()) {
    root.erase("extensionsUsed");
  } else {
    root["extensionsUsed"] = std::move(list);
  }
}

void BlockReader::refuseBlock(const std::string& fault) const {
  refuse(fmt::format("{}; {}", fault, remedy_));
}

const Json& BlockReader::required(const Json& object, const char* key, const std::string& where) const {
  const Json* found = find(object, key);
  if (found == nullptr) refuseBlock(fmt::format("{}.{} is missing", where, key));
  return *found;
}

const Json& BlockReader::requiredObject(const Json& object, const char* key, const std::string& where) const {
  const Json& found = required(object, key, where);
  if (!found.is_object()) refuseBlock(fmt::format("{}.{} is not an object", where, key));
  return found;
}

std::string BlockReader::requiredText(const Json& object, const char* key, const std::string& where) const {
  required(object, key, where);
  return optionalText(object, key, where);
}

double BlockReader::requiredNumber(const Json& object, const char* key, const std::string& where) const {
  const double number = numberOf(required(object, key, where), where + "." + key);
  if (!std::isfinite(number)) refuseBlock(fmt::format("{}.{} is not finite", where, key));
  return number;
}

bool BlockReader::requiredFlag(const Json& object, const char* key, const std::string& where) const {
  required(object, key, where);
  return optionalFlag(object, key, where);
}

std::vector<double> BlockReader::requiredNumbers(const Json& object, const char* key, std::size_t count,
                                                 const std::string& where) const {
  required(object, key, where);
  return *optionalNumbers(object, key, count, where);
}

std::vector<std::string> BlockReader::requiredTexts(const Json& object, const char* key,
                                                    const std::string& where) const {
  required(object, key, where);
  const Json& list = listOf(object, key, where);
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const Json& text : list) {
    if (!text.is_string()) refuseBlock(fmt::format("{}.{} is not a list of names", where, key));
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

BlockReader::Array BlockReader::open(const Json& object, const char* key, const std::string& where, const char* type,
                                     std::size_t size) const {
  const std::string place = where + "." + key;
  const Json& json = requiredObject(object, key, where);
  const std::string given = requiredText(json, "type", place);
  if (given != type) refuseBlock(fmt::format("{}.type is '{}' where '{}' is needed", place, given, type));
  Array array{nullptr, requiredCount(json, "rows", place), requiredCount(json, "columns", place)};
  const double wanted =
      static_cast<double>(array.rows) * static_cast<double>(array.columns) * static_cast<double>(size);
  if (wanted == 0) return array;
  const Json& views = reading_.list("bufferViews");
  const Json& view = views[indexOf(required(json, "bufferView", place), views.size(), place + ".bufferView")];
  const std::size_t length = requiredCount(view, "byteLength", "bufferViews");
  if (static_cast<double>(length) != wanted) {
    refuseBlock(
        fmt::format("{} has {} bytes where {} x {} numbers need {}", place, length, array.rows, array.columns, wanted));
  }
  const std::string& buffer = reading_.document.buffers[requiredCount(view, "buffer", "bufferViews")];
  array.bytes = buffer.data() + optionalCount(view, "byteOffset", "bufferViews", 0);
  return array;
}

Eigen::MatrixXd BlockReader::numbers(const Json& object, const char* key, const std::string& where, std::size_t rows,
                                     std::size_t columns) const {
  const Array array = open(object, key, where, "float64", sizeof(double));
  if (array.rows != rows || array.columns != columns) {
    refuseBlock(
        fmt::format("{}.{} is {} x {} where {} x {} is needed", where, key, array.rows, array.columns, rows, columns));
  }
  // Without bytes one of the two is 0, and the other may be of any size: nothing is allocated.
  Eigen::MatrixXd matrix(static_cast<Index>(rows), array.bytes == nullptr ? 0 : static_cast<Index>(columns));
  if (array.bytes != nullptr) {
    std::memcpy(matrix.data(), array.bytes, toSize(matrix.size()) * sizeof(double));
  }
  if (!matrix.allFinite()) refuseBlock(fmt::format("{}.{} has a value that is not a finite number", where, key));
  return matrix;
}

std::vector<std::uint32_t> BlockReader::indices(const Json& object, const char* key, const std::string& where) const {
  const Array array = open(object, key, where, "uint32", sizeof(std::uint32_t));
  if (array.rows != 1) refuseBlock(fmt::format("{}.{} is not a single row", where, key));
  std::vector<std::uint32_t> list(array.columns);
  if (array.bytes != nullptr) std::memcpy(list.data(), array.bytes, list.size() * sizeof(std::uint32_t));
  return list;
}

std::size_t BlockReader::columnsOf(const Json& object, const char* key, const std::string& where) const {
  return requiredCount(requiredObject(object, key, where), "columns", where + "." + key);
}

std::size_t BlockReader::rowsOf(const Json& object, const char* key, const std::string& where) const {
  return requiredCount(requiredObject(object, key, where), "rows", where + "." + key);
}

int BlockReader::jointOf(const Json& object, const char* key, const std::string& name, const char* what,
                         const std::string& where) const {
  const Skeleton& skeleton = reading_.character.skeleton;
  const std::size_t node = requiredCount(object, key, where);
  if (node < toSize(skeleton.size()) && skeleton[static_cast<int>(node)].name == name) {
    return static_cast<int>(node);
  }
  const auto found = name.empty() ? std::nullopt : skeleton.find(name);
  if (!found) throw Outdated{fmt::format("its {} '{}' is no longer in the file", what, name)};
  return *found;
}

Json BlockWriter::array(const char* type, std::string_view bytes, Index rows, Index columns) {
  Json json{{"type", type}, {"rows", rows}, {"columns", columns}};
  // A buffer view has at least one byte.
  if (!bytes.empty()) json["bufferView"] = store_.addView(bytes, Usage::Other);
  return json;
}

Json BlockWriter::numbers(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  Eigen::MatrixXd packed;
  const bool isPacked = matrix.outerStride() == matrix.rows();
  if (!isPacked) packed = matrix;
  const double* const first = isPacked ? matrix.data() : packed.data();
  const std::string_view bytes(reinterpret_cast<const char*>(first), toSize(matrix.size()) * sizeof(double));
  return array("float64", bytes, matrix.rows(), matrix.cols());
}

Json BlockWriter::indices(const std::vector<std::uint32_t>& list) {
  const std::string_view bytes(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(std::uint32_t));
  return array("uint32", bytes, 1, static_cast<Index>(list.size()));
}

}  // namespace sinew::gltf
