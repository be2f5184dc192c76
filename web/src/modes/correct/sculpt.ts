// Sculpting on the posed skin: grab by a drag in the plane of the screen, the other tools by brush strokes.
import { connection } from '../../client';
import { type BrushStroke, installBrush } from '../../gestures/brush_stroke';
import { sceneUnits } from '../../gestures/radius_gesture';
import { type Grab, installSurfaceDrag } from '../../gestures/surface_drag';
import { mirrorPlanes, SculptBeginCode, writeSculptBegin } from '../../protocol/messages';
import type { Stage } from '../../render/stage';
import { brushShare, mirrorBrush, strengths, tool, tools, usable } from './state';

const smooth = tools.findIndex((one) => one.name === 'smooth');
const isGrab = (index: number) => tools[index].name === 'grab';

/** Shift smooths, Ctrl does the inverse. */
function begin(index: number, inverse: boolean) {
  const radius = sceneUnits(brushShare.value);
  const strength = (inverse ? -1 : 1) * strengths.value[index];
  const mirror = mirrorBrush.value ? 1 + mirrorPlanes.indexOf('auto') : 0;
  return (drag: number, view: number, lead: number) => connection.send(SculptBeginCode, writeSculptBegin, { drag, view, tool: tools[index].code, lead, radius, strength, mirror });
}

/** Returns a function that stops listening. */
export function installSculpt(stage: Stage): () => void {
  const brush = (event: PointerEvent): BrushStroke | undefined => {
    const index = event.shiftKey ? smooth : tool.value;
    if (!usable.value || isGrab(index)) return undefined;
    return { radius: sceneUnits(brushShare.value), through: false, begin: begin(index, event.ctrlKey) };
  };
  const grab = (x: number, y: number, view: number, event: PointerEvent): Grab | undefined => {
    // With Shift the press belongs to the brush.
    if (!usable.value || event.shiftKey || !isGrab(tool.value)) return undefined;
    const picked = stage.pick(x, y);
    if (picked === undefined) return undefined;
    const send = begin(tool.value, false);
    return { place: stage.position(picked.vertex, view), begin: (drag) => send(drag, view, picked.vertex) };
  };
  const stops = [installBrush(stage, brush), installSurfaceDrag(stage, { grab })];
  return () => stops.forEach((stop) => stop());
}
