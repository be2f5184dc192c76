// Queries for automatic tests. Read-only: tests act by mouse and keys.
import { Vector3 } from 'three';
import { mode, modes } from './modes/modes';
import type { Connection } from './protocol/connection';
import { jointMatrices } from './render/skeleton';
import type { Stage } from './render/stage';
import { activeView, document_, job, morphWeights, numbers, poses, selectedJoint, selectedVertices, viewCount } from './store';

declare global {
  interface Window {
    __studio?: object;
  }
}

/** What the layers above know. */
export interface PageState {
  /** Joints that are selected besides the one with the rings. */
  otherJoints: () => number[];
  /** Something for the view is still being read. */
  reading: () => boolean;
}

export function installHooks(stage: Stage, connection: Connection, page: PageState): void {
  const settled = async () => {
    for (let quiet = 0; quiet < 2; ) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      quiet = connection.idle && stage.settled && job.value === undefined && !page.reading() ? quiet + 1 : 0;
    }
  };
  window.__studio = {
    state: () => ({
      mode: mode.value,
      document: document_.value,
      poses: poses.value,
      selectedJoint: selectedJoint.value,
      selectedVertices: selectedVertices.value,
      views: viewCount.value,
      activeView: activeView.value,
      morphWeights: morphWeights.value,
      selectedJoints: [...(selectedJoint.value === undefined ? [] : [selectedJoint.value]), ...page.otherJoints()],
      look: {
        shading: stage.surface?.shading,
        materials: stage.surface?.hasMaterials,
        marks: stage.surface?.marks,
        triangles: (stage.surface?.triangles.index?.count ?? 0) / 3,
      },
      numbers: numbers.value,
      camera: {
        orthographic: stage.orthographic,
        azimuth: stage.controls.azimuthAngle,
        polar: stage.controls.polarAngle,
        distance: stage.controls.distance,
        target: stage.controls.getTarget(new Vector3(), false).toArray(),
      },
    }),
    settled,
    ...Object.assign({}, ...modes.map((one) => one.testHooks)),
    counters: () => ({ ...connection.counters, ...stage.counters, morphTexels: stage.deformer?.sentTexels ?? 0 }),
    rectangle: (view: number) => stage.rectangle(view),
    projectVertex: (view: number, vertex: number) => stage.project(stage.position(vertex, view), view),
    projectPoint: (view: number, p: [number, number, number]) => stage.project(new Vector3(...p), view),
    projectJoint: (view: number, joint: number) => {
      const info = document_.value;
      if (info === undefined) return undefined;
      return stage.project(new Vector3().setFromMatrixPosition(jointMatrices(info.joints, poses.value[view], info.centre)[joint]), view);
    },
    /** Where the vertices of further instances are in `positions`. */
    instances: () => stage.deformer?.placed.stretches ?? [],
    positions: (view: number) => Array.from(stage.deformer?.readPositions(stage.renderer, view) ?? []),
    webgl: () => {
      const gl = stage.renderer.getContext();
      const info = gl.getExtension('WEBGL_debug_renderer_info');
      return info === null ? 'unknown' : String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
    },
  };
}
