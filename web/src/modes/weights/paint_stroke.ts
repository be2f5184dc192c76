// Brush strokes on the weights.
import { connection } from '../../client';
import { installBrush } from '../../gestures/brush_stroke';
import { PaintBeginCode, PaintOperation, writePaintBegin } from '../../protocol/messages';
import type { Stage } from '../../render/stage';

export interface Brush {
  operation: number;
  binding: number;
  strength: number;
  /** In scene units. */
  radius: number;
  /** Max influences; 0: unlimited. */
  most: number;
  /** Mirror plane; 0: none; see PaintBegin. */
  mirror: number;
  /** Whether hidden vertices are painted too. */
  through: boolean;
}

/** `brush` returns the brush, or undefined while another tool is active. Returns a function that stops listening. */
export function installPaint(stage: Stage, brush: (event: PointerEvent) => Brush | undefined, onEnd: () => void): () => void {
  const stroke = (event: PointerEvent) => {
    const one = brush(event);
    if (one === undefined) return undefined;
    const { operation, binding, strength, radius, mirror, through, most: maxInfluences } = one;
    const begin = (drag: number, view: number) => connection.send(PaintBeginCode, writePaintBegin, { drag, view, radius, operation, binding, strength, maxInfluences, mirror });
    return { radius, through, begin };
  };
  return installBrush(stage, stroke, onEnd);
}

/** In the order of the buttons; strength: least, most, default. */
export const operations: { name: string; code: number; strength: [number, number, number] }[] = [
  { name: 'add', code: PaintOperation.Add, strength: [0, 1, 0.3] },
  { name: 'replace', code: PaintOperation.Replace, strength: [0, 1, 1] },
  { name: 'smooth', code: PaintOperation.Smooth, strength: [0, 1, 0.8] },
  { name: 'scale', code: PaintOperation.Scale, strength: [0, 2, 0.5] },
  { name: 'sharpen', code: PaintOperation.Sharpen, strength: [0, 1, 0.5] },
];
