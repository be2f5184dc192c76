#include "sinew/base/choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sinew/base/error.h"
#include "sinew/base/text.h"

namespace sinew {

void refuseChoice(std::string_view what, std::string_view name, std::span<const std::string> names, const char* where) {
  const std::string nearest = nearestName(name, names);
  throw Error(ErrorCode::BadInput,
              nearest.empty() ? fmt::format("unknown {} '{}'; the choices are {}", what, name, fmt::join(names, ", "))
                              : fmt::format("unknown {} '{}'; did you mean '{}'?", what, name, nearest),
              where);
}

}  // namespace sinew
