#include "command.h"

namespace sinew::cli {
namespace {

constexpr CommandRow kCommands[] = {
    {"sample", "write a built-in character with sculpted examples and held-out shapes",
     "  sinew sample --list\n  sinew sample arm -o arm\n  sinew sample biped -o biped --vertices 20000",
     makeSampleCommand},
    {"info", "show what is in a file, and its problems", "  sinew info character.glb\n  sinew info *.glb --json",
     makeInfoCommand},
    {"convert", "convert between formats, keeping all that the output can hold",
     "  sinew convert character.fbx -o character.glb\n  sinew convert character.glb -o mesh.obj", makeConvertCommand},
    {"deform", "pose a character",
     "  sinew deform character.glb --pose walk@0.4 -o posed.obj\n"
     "  sinew deform character.glb --pose pose.json --deformer dual-quaternion -o posed.obj\n"
     "  sinew deform character.glb --pose pose.json --deformer linear-blend lattice:box.json -o posed.obj",
     makeDeformCommand},
    {"bind", "compute initial weights of a mesh for a skeleton",
     "  sinew bind mesh.obj --skeleton rig.glb -o bound.glb\n  sinew bind mesh.obj --skeleton rig.glb --method heat -o "
     "bound.glb",
     makeBindCommand},
    {"invert", "move a sculpt back to the rest pose, through any deformers",
     "  sinew invert character.glb --pose elbow90.json --sculpt elbow90.obj -o rest.obj\n"
     "  sinew invert character.glb --pose pose.json --sculpt sculpt.obj --deformer dual-quaternion -o corrected.glb\n"
     "  sinew invert character.glb --pose pose.json --sculpt sculpt.obj --black-box './box --pose 7' -o rest.obj",
     makeInvertCommand},
    {"psd", "learn correctives driven by the pose from sculpted examples",
     "  sinew psd character.glb --examples examples.json -o corrected.glb\n"
     "  sinew psd character.glb --examples examples.json --weighted --report report.html -o corrected.glb\n"
     "  sinew psd character.glb --examples left.json --mirror auto -o corrected.glb\n"
     "  sinew psd character.glb --clip walk --meshes walk.pc2 --pick 60 --hold-out 0.2 -o corrected.glb",
     makePsdCommand},
    {"fit", "fit weights, helper joints and rest vertices to sculpted examples",
     "  sinew fit character.glb --examples examples.json -o fitted.glb\n"
     "  sinew fit character.glb --examples examples.json --helpers all --rest --quantize u8 --report report.html -o "
     "fitted.glb\n"
     "  sinew fit character.glb --examples examples.json --explain --chart triage.png",
     makeFitCommand},
    {"learn", "learn the best skin within a budget, from examples or a simulation",
     "  sinew learn character.glb --examples examples.json --budget \"influences 4, helpers 8, morphs 16, bytes 500k\" "
     "-o game.glb\n"
     "  sinew learn character.glb --clip walk --meshes walk.pc2 --budget \"4 influences, 16 morphs\" --hold-out 0.2 "
     "--report report.html -o game.glb",
     makeLearnCommand},
    {"reduce", "learn a posable model, or a skin of rigid bones, from meshes alone",
     "  sinew reduce poses/ -o horse.glb\n"
     "  sinew reduce poses/ --rest rest.obj --controls 30 --report report.html -o horse.glb\n"
     "  sinew reduce gallop/ --rest rest.obj --rigid --controls 20 -o bones.glb",
     makeReduceCommand},
    {"pose", "pose a reduced model by moving a few of its vertices",
     "  sinew pose horse.glb --handle 2794=0.1,0.4,0.2 --pin 8298 --pin 6528 -o posed.obj\n"
     "  sinew pose horse.glb --handle 2794=0.1,0.4,0.2 --pin 8298 -o keyed.glb\n"
     "  sinew pose horse.glb --blend 3=0.5 --blend 7=0.5 -o between.obj",
     makePoseCommand},
    {"reconstruct", "rebuild the training meshes of a reduced model through its solver",
     "  sinew reconstruct horse.glb -o again/\n  sinew reconstruct horse.glb --meshes poses/ -o again/ --json",
     makeReconstructCommand},
    {"drag", "drag posed vertices and solve for their weights",
     "  sinew drag character.glb --pose elbow90.json --vertex 480 --target 0.1,0.9,0 -o dragged.glb\n"
     "  sinew drag character.glb --pose elbow90.json --vertex 480 --move 0,0.05,0 --soft 0.1 -o dragged.glb\n"
     "  sinew drag character.glb --pose elbow90.json --also elbow45.json --alpha 0.1 --vertex 480 --target 0.1,0.9,0 "
     "--json",
     makeDragCommand},
    {"evaluate", "measure the error of a learned character on other examples",
     "  sinew evaluate corrected.glb --examples heldout.json\n"
     "  sinew evaluate corrected.glb --examples heldout.json --plain --json",
     makeEvaluateCommand},
    {"compare", "measure the error between two meshes, characters or folders of meshes",
     "  sinew compare truth.obj result.obj\n  sinew compare truth/ result/ --json\n"
     "  sinew compare a.glb b.glb --pose walk@0 --pose walk@0.5",
     makeCompareCommand},
    {"render", "draw pictures and contact sheets without a GPU",
     "  sinew render character.glb -o picture.png\n"
     "  sinew render character.glb --pose rest --pose walk@0.2 --pose walk@0.6 -o sheet.png\n"
     "  sinew render character.glb --color weight:forearm --skeleton -o weights.png",
     makeRenderCommand},
#ifdef SINEW_STUDIO
    {"studio", "open the browser studio",
     "  sinew studio character.glb\n  sinew studio sample:biped\n  sinew studio meshes/ --no-open --port 8731",
     makeStudioCommand},
#endif
};

}  // namespace

std::span<const CommandRow> commands() {
  return kCommands;
}

}  // namespace sinew::cli
