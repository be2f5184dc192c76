// Preview of the soft selection before a drag: a tint by falloff, and a ring at the radius. The server measures distances
// when the lead or the radius changes, one request at a time.
import { effect } from '@preact/signals';
import { connection } from '../../client';
import { sceneUnits } from '../../gestures/radius_gesture';
import { ArrayKind, BlobArrays } from '../../protocol/blob';
import type { Commands } from '../../protocol/commands';
import type { Stage } from '../../render/stage';
import { floatTexture } from '../../render/textures';
import { activeView, document_, poses, selectedVertices } from '../../store';
import { dragging } from './reach_labels';
import { columns, curve, curveNames, followers, hovered, softOn, softShare, tool, volume } from './settings';

const interval = 80;
/** The limit of the server. */
const mostHandles = 4096;
/** In radii: the distance of vertices that are not in the reply. */
const farAway = 1.6;

type Question = Required<Commands['weights.soft']['args']>;

function question(): Question | undefined {
  if (!softOn.value || tool.value !== 'drag' || document_.value?.skinned !== true) return undefined;
  const under = hovered.value;
  // The vertices that a press here would drag.
  const alone = under !== undefined && !selectedVertices.value.includes(under.vertex);
  const vertices = (alone ? [under.vertex] : selectedVertices.value).filter((v) => v < (document_.value?.vertices ?? 0));
  if (vertices.length === 0 || vertices.length > mostHandles) return undefined;
  return { view: under?.view ?? activeView.value, vertices, radius: sceneUnits(softShare.value), curve: curveNames[curve.value], volume: volume.value };
}

/** Returns a function that stops it. */
export function installSoftPreview(stage: Stage): () => void {
  let wanted: Question | undefined;
  let shown = '';
  let busy = false;
  let stopped = false;

  let cleared = 0;
  const clear = () => {
    shown = '';
    cleared += 1;
    followers.value = undefined;
    stage.setSoft(undefined);
  };
  const show = async (asked: Question) => {
    const before = cleared;
    const answer = await connection.command('weights.soft', asked);
    const arrays = new BlobArrays(await connection.blob(answer.blob));
    const [vertices, distances, shares] = [arrays.u32(ArrayKind.Vertices), arrays.f32(ArrayKind.Distances), arrays.f32(ArrayKind.Shares)];
    // The preview may have been cleared meanwhile.
    if (stopped || cleared !== before || stage.deformer === undefined) return;
    const field = new Float32Array(2 * stage.vertexCount);
    for (let v = 0; v < stage.vertexCount; ++v) field[2 * v] = farAway;
    vertices.forEach((v, i) => {
      field[2 * v] = distances[i];
      field[2 * v + 1] = shares[i];
    });
    stage.setSoft(floatTexture(field, 2, stage.deformer.width));
    followers.value = answer.followers;
  };
  const run = async () => {
    if (busy) return;
    busy = true;
    while (!stopped && wanted !== undefined) {
      const asked = wanted;
      wanted = undefined;
      const name = JSON.stringify([asked, poseCount]);
      if (name === shown) continue;
      try {
        const before = cleared;
        await show(asked);
        if (cleared === before) shown = name;
      } catch {
        // Disconnected, or the document changed: the next change asks again.
        clear();
      }
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
    busy = false;
  };
  // Poses and weights change the measured surface; during a drag the ring stays.
  let poseCount = 0;
  const stops = [
    effect(() => {
      void poses.value;
      void columns.value;
      void document_.value?.blobs.mesh;
      poseCount += 1;
    }),
    effect(() => {
      void poses.value;
      void columns.value;
      if (dragging.value) return;
      wanted = question();
      if (wanted === undefined) clear();
      else void run();
    }),
  ];
  return () => {
    stopped = true;
    for (const stop of stops) stop();
    clear();
  };
}
