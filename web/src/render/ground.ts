// A grid on the ground (y = 0 of the scene) below the character, with the axes through the origin.
import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments } from 'three';
import type { Overlay, Stage } from './stage';

const cells = 12;
const xColour = [0.86, 0.24, 0.24, 0.9];
const zColour = [0.22, 0.46, 0.95, 0.9];

/** The width of a cell: 1, 2 or 5 times a power of ten, about a tenth of the diagonal. */
export function cellOf(diagonal: number): number {
  const power = 10 ** Math.floor(Math.log10(diagonal / 10));
  const steps = [1, 2, 5, 10].map((step) => step * power);
  return steps.reduce((best, step) => (Math.abs(Math.log((10 * step) / diagonal)) < Math.abs(Math.log((10 * best) / diagonal)) ? step : best));
}

/** In the unit of the scene, as it is written. */
export function cellText(diagonal: number): string {
  const cell = cellOf(diagonal).toLocaleString('en', { maximumSignificantDigits: 1 });
  return `${cell} ${cell === '1' ? 'unit' : 'units'}`;
}

export class Ground {
  private readonly group = new Group();
  private readonly overlay: Overlay = { object: this.group };
  private lines: LineSegments | undefined;

  constructor(private readonly stage: Stage) {}

  /** `centre`: the origin of the page's space in the scene; `grey`: of the lines, 0 to 1. */
  show(centre: [number, number, number], diagonal: number, grey: number): void {
    this.hide();
    const cell = cellOf(diagonal);
    // Lines at multiples of a cell, around the character; the axes where they are near.
    const [cx, cz] = [Math.round(centre[0] / cell), Math.round(centre[2] / cell)];
    const places: number[] = [];
    const colours: number[] = [];
    const add = (from: [number, number], to: [number, number], colour: number[]) => {
      for (const [x, z] of [from, to]) {
        places.push(x * cell - centre[0], -centre[1], z * cell - centre[2]);
        const far = Math.hypot(x - cx, z - cz) / cells;
        colours.push(colour[0], colour[1], colour[2], colour[3] * Math.max(0, 1 - far));
      }
    };
    for (let i = -cells; i <= cells; ++i) {
      // In pieces, so that lines fade out.
      for (let k = -cells; k < cells; ++k) {
        const plain = (at: number) => [grey, grey, grey, at % 10 === 0 ? 0.75 : 0.45];
        add([cx + i, cz + k], [cx + i, cz + k + 1], cx + i === 0 ? zColour : plain(cx + i));
        add([cx + k, cz + i], [cx + k + 1, cz + i], cz + i === 0 ? xColour : plain(cz + i));
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.from(places), 3));
    geometry.setAttribute('color', new BufferAttribute(Float32Array.from(colours), 4));
    this.lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = -1;
    this.group.add(this.lines);
    this.stage.overlays.add(this.overlay);
    this.stage.draw();
  }

  hide(): void {
    if (this.lines === undefined) return;
    this.stage.removeOverlay(this.overlay);
    this.group.remove(this.lines);
    this.lines.geometry.dispose();
    (this.lines.material as LineBasicMaterial).dispose();
    this.lines = undefined;
  }
}
