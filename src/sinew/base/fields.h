// One description of an options struct feeds the command's flags, its JSON file and the printed defaults.
//
// Next to `struct XOptions`, define
//   template <class Visitor> void visitFields(XOptions& o, Visitor&& visit) {
//     visit(o.maxInfluences, {.name = "max-influences", .help = "joints per vertex", .least = 1, .most = 64});
//   }
// Fields are int, double, bool, std::string, or an enum with a table of names (base/choice.h). A text that names a row
// of an open table (a kernel, an operator) has `names`, which takes them from that table.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

struct FieldInfo {
  std::string_view name;         ///< kebab-case: the flag and the JSON key
  std::string_view help;         ///< one line
  std::string_view unit = {};    ///< "m", "degrees", "% of the diagonal"; empty for plain numbers
  std::string_view symbol = {};  ///< the paper's letter, if there is one
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> (*names)() = nullptr;  ///< of a text: the allowed ones, in the order of their table
};

}  // namespace sinew
