// In builds without Assimp: the formats that it reads are refused.
#include "sinew/base/error.h"
#include "sinew/io/assimp.h"

namespace sinew {

CharacterFile readAssimp(const std::filesystem::path& path, const ReadOptions& /*options*/) {
  throw Error(ErrorCode::Unreadable,
              "cannot be read: this program was built without Assimp, which reads this format; export it as .glb",
              path.string());
}

}  // namespace sinew
