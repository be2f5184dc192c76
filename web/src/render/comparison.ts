// A second skin of the same mesh, drawn beside the first in every view: left of a divider the character, right of it the
// other, with one camera, one pose and one scale of colours.
import type { DataTexture } from 'three';
import type { FitFrame } from '../protocol/messages';
import { Palettes } from '../protocol/palettes';
import { type Deformer, deformerOf } from './deformer';
import type { Stage, ViewPart } from './stage';
import { floatTexture } from './textures';

export class Comparison {
  readonly deformer: Deformer;
  private readonly palettes = new Palettes();
  private stale = false;
  private deforms = -1;
  private share = 0.5;
  private scalars: { first: DataTexture; second: DataTexture } | undefined;
  private readonly update = () => this.run();

  /** The blobs of the second skin. */
  constructor(
    private readonly stage: Stage,
    mesh: ArrayBuffer,
    weights: ArrayBuffer,
    morphs: ArrayBuffer | undefined,
  ) {
    this.deformer = deformerOf(mesh, weights, morphs);
    stage.beforeDraw.push(this.update);
    stage.parts = (view) => this.parts(view);
  }

  /** Where the second skin begins, as a share of the width of a view; 1: only the first is shown. */
  get split(): number {
    return this.share;
  }
  set split(share: number) {
    this.share = share;
    this.stage.draw();
  }

  applyFrame(frame: FitFrame): void {
    const moved = this.palettes.take(frame);
    const morphed = this.deformer.setTargets(frame.view, frame.targets, frame.targetWeights);
    if (!moved && !morphed) return;
    this.deformer.setPalettes(this.palettes.values, this.palettes.views);
    this.stale = true;
    this.stage.draw();
  }

  /** A value per vertex of each skin to colour by, and the ends of their common scale. Undefined: none. */
  setScalars(values: { first: Float32Array; second: Float32Array } | undefined): void {
    this.scalars?.first.dispose();
    this.scalars?.second.dispose();
    const texture = (list: Float32Array) => floatTexture(list, 1, this.deformer.width);
    this.scalars = values === undefined ? undefined : { first: texture(values.first), second: texture(values.second) };
    this.stage.draw();
  }

  setRange(from: number, to: number): void {
    this.stage.uniforms.scalarFrom.value = from;
    this.stage.uniforms.scalarRange.value = to;
    this.stage.draw();
  }

  /** With every deformation of the first: after a lost graphics context both must run again. */
  private run(): void {
    const { deforms } = this.stage.counters;
    if (!this.stale && deforms === this.deforms) return;
    this.stale = false;
    this.deforms = deforms;
    this.deformer.run(this.stage.renderer, this.palettes.matricesPerView, this.palettes.views);
  }

  /** Undefined until the second skin has a frame of the view, and while the stage loads another mesh. */
  private parts(view: number): ViewPart[] | undefined {
    const first = this.stage.deformer;
    const second = this.deformer.views[view];
    if (first === undefined || second === undefined || first.placed.count !== this.deformer.placed.count) return undefined;
    return [
      { from: 0, to: this.share, deformed: first.views[view], scalars: this.scalars?.first },
      { from: this.share, to: 1, deformed: second, scalars: this.scalars?.second },
    ];
  }

  /** Positions of all vertices of the second skin, read back from the GPU; for tests. */
  readPositions(view: number): Float32Array {
    return this.deformer.readPositions(this.stage.renderer, view);
  }

  dispose(): void {
    this.stage.parts = undefined;
    this.stage.beforeDraw = this.stage.beforeDraw.filter((one) => one !== this.update);
    this.setScalars(undefined);
    this.deformer.dispose();
    this.stage.draw();
  }
}
