#include "report/words.h"

#include <fmt/format.h>

#include <filesystem>

namespace sinew::cli {

std::string percentText(double percent) {
  return percent == 0 || percent >= 1e-3 ? fmt::format("{:.3g} %", percent) : fmt::format("{:.1e} %", percent);
}

std::string bytesText(std::size_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes >= 1'000'000) return fmt::format("{:.2f} MB", value / 1e6);
  return bytes >= 1000 ? fmt::format("{:.1f} kB", value / 1e3) : fmt::format("{} bytes", bytes);
}

std::string fileName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

void tellOrigin(Page& page, const std::string& commandLine, std::span<const std::pair<std::string, std::string>> files,
                std::span<const std::string> notes) {
  page.heading("Command and files");
  if (!commandLine.empty()) page.code(commandLine);
  PageTable table;
  table.columns = {{""}, {""}};
  for (const auto& [what, file] : files) {
    if (!file.empty()) table.rows.push_back({what, file});
  }
  if (!table.rows.empty()) page.table(table);
  if (!notes.empty()) page.list(notes);
}

}  // namespace sinew::cli
