#include "command.h"

namespace sinew::cli {
namespace {

constexpr CommandRow kCommands[] = {
    {"sample", "write a built-in character, its sculpted examples and held-out truths",
     "  sinew sample --list\n  sinew sample arm -o arm\n  sinew sample biped -o biped --vertices 20000",
     makeSampleCommand},
    {"info", "what is in a file, and what is wrong with it", "  sinew info character.glb\n  sinew info *.glb --json",
     makeInfoCommand},
    {"convert", "between formats; nothing is lost where the format can hold it",
     "  sinew convert character.fbx -o character.glb\n  sinew convert character.glb -o mesh.obj", makeConvertCommand},
    {"deform", "pose a character",
     "  sinew deform character.glb --pose walk@0.4 -o posed.obj\n"
     "  sinew deform character.glb --pose pose.json --deformer dual-quaternion -o posed.obj\n"
     "  sinew deform character.glb --pose pose.json --deformer linear-blend lattice:box.json -o posed.obj",
     makeDeformCommand},
    {"bind", "first influence sets and weights of a mesh for a skeleton",
     "  sinew bind mesh.obj --skeleton rig.glb -o bound.glb\n  sinew bind mesh.obj --skeleton rig.glb --method heat -o "
     "bound.glb",
     makeBindCommand},
    {"invert", "push a sculpt to the rest pose, through any operators",
     "  sinew invert character.glb --pose elbow90.json --sculpt elbow90.obj -o rest.obj\n"
     "  sinew invert character.glb --pose pose.json --sculpt sculpt.obj --deformer dual-quaternion -o corrected.glb\n"
     "  sinew invert character.glb --pose pose.json --sculpt sculpt.obj --black-box './box --pose 7' -o rest.obj",
     makeInvertCommand},
    {"psd", "learn corrections that follow the pose from sculpted examples",
     "  sinew psd character.glb --examples examples.json -o corrected.glb\n"
     "  sinew psd character.glb --examples examples.json --weighted --report report.html -o corrected.glb\n"
     "  sinew psd character.glb --examples left.json --mirror auto -o corrected.glb",
     makePsdCommand},
    {"evaluate", "error of a learned character on other examples",
     "  sinew evaluate corrected.glb --examples heldout.json\n"
     "  sinew evaluate corrected.glb --examples heldout.json --plain --json",
     makeEvaluateCommand},
    {"compare", "error between two meshes, characters or folders of meshes",
     "  sinew compare truth.obj result.obj\n  sinew compare truth/ result/ --json\n"
     "  sinew compare a.glb b.glb --pose walk@0 --pose walk@0.5",
     makeCompareCommand},
    {"render", "pictures and contact sheets without a GPU",
     "  sinew render character.glb -o picture.png\n"
     "  sinew render character.glb --pose rest --pose walk@0.2 --pose walk@0.6 -o sheet.png\n"
     "  sinew render character.glb --color weight:forearm --skeleton -o weights.png",
     makeRenderCommand},
};

}  // namespace

std::span<const CommandRow> commands() {
  return kCommands;
}

}  // namespace sinew::cli
