// One canvas with up to four linked views, drawn on demand.
import CameraControls from 'camera-controls';
import * as THREE from 'three';
import type { Frame, Sculpted, Weights } from '../protocol/messages';
import { Palettes } from '../protocol/palettes';
import { ArrayKind, BlobArrays } from '../protocol/blob';
import { CameraMoves } from './camera_moves';
import { type DeformedView, type Deformer, deformerOf } from './deformer';
import { type Picked, Picker } from './picker';
import type { Part } from './pieces';
import { newSkinUniforms, Shown } from './skin_material';
import { type Shading, Surface } from './surface';
import { addLights, makeRenderer } from './studio_lights';
import { floatTexture, textureWidth } from './textures';
import { farthestLook, nearestLook, rectangleOf, ViewCamera, type ViewRectangle } from './view_camera';

CameraControls.install({ THREE });

/** An object that a mode draws over the skin. */
export interface Overlay {
  object: THREE.Object3D;
  /** Drawn only in this view; undefined: in all views of the document. */
  view?: number;
}

/** The number of a view that shows no pose of the document, only overlays of its own. */
export const besideView = 4;

/** A part of a view from left to right, as shares of its width: it shows this deformation, coloured by these values. */
export interface ViewPart {
  from: number;
  to: number;
  deformed: DeformedView | undefined;
  scalars?: THREE.DataTexture;
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly controls: CameraControls;
  readonly moves: CameraMoves;
  readonly uniforms = newSkinUniforms();
  readonly overlays = new Set<Overlay>();
  readonly counters = { frames: 0, deforms: 0 };
  deformer: Deformer | undefined;
  surface: Surface | undefined;
  picker: Picker | undefined;
  controlsPerView = 0;
  vertexCount = 0;
  /** Triangles of the first instances, and the welded point of each vertex: at seams several vertices share one. */
  topology: { triangles: Uint32Array; points: Uint32Array } | undefined;
  views = 1;
  /** A view of the document that is shown with `besideView` at its right, instead of all views. */
  private besideOf: number | undefined;
  /** Called before a frame is drawn; modes update their overlays here. */
  beforeDraw: (() => void)[] = [];
  /** What a mode shows instead of the character: parts that cover a view. */
  parts: ((view: number) => ViewPart[] | undefined) | undefined;
  onFrameTime: (milliseconds: number) => void = () => {};
  onLost: (lost: boolean) => void = () => {};
  /** Called after parts were hidden or shown. */
  readonly onHidden = new Set<() => void>();

  private readonly scene = new THREE.Scene();
  private readonly cameras = new ViewCamera();
  private lastFrame = performance.now();
  private readonly lights: THREE.Group;
  private looks: { shading: Shading; wireframe: boolean; dots: boolean } = { shading: 'clay', wireframe: false, dots: false };
  private pending = false;
  private stale = true;
  readonly palettes = new Palettes();

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = makeRenderer(canvas);
    const rig = this.cameras.perspective;
    this.scene.add(rig);
    this.lights = addLights(this.scene, rig);
    this.controls = new CameraControls(rig, canvas);
    this.moves = new CameraMoves(this.controls, () => this.draw());
    this.controls.dollyToCursor = true;
    // The controls ignore a drag until they were updated after its press.
    for (const event of ['controlstart', 'control', 'update', 'wake'] as const) this.controls.addEventListener(event, () => this.draw());
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.onLost(true);
    });
    canvas.addEventListener('webglcontextrestored', () => {
      this.stale = true;
      this.onLost(false);
      this.draw();
      void this.surface?.relight(this.renderer).then(() => this.draw(), () => {});
    });
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    this.resize();
  }

  setBackground(colour: string): void {
    this.scene.background = new THREE.Color(colour);
    this.draw();
  }

  private resize(): void {
    const parent = this.canvas.parentElement ?? this.canvas;
    const width = Math.max(1, parent.clientWidth);
    const height = Math.max(1, parent.clientHeight);
    this.renderer.setSize(width, height);
    this.draw();
  }

  /** Replaces the mesh, its weights and its morph targets. */
  setMesh(mesh: ArrayBuffer, weights: ArrayBuffer, morphs: ArrayBuffer | undefined, parts: Part[], diagonal: number, keepCamera: boolean): void {
    this.clear();
    const arrays = new BlobArrays(mesh);
    this.vertexCount = arrays.f32(ArrayKind.Rest).length / 3;
    this.topology = { triangles: arrays.u32(ArrayKind.Triangles), points: arrays.u32(ArrayKind.PointOfVertex) };
    this.deformer = deformerOf(mesh, weights, morphs);
    const { placed, influences } = this.deformer;
    this.surface = new Surface(this.uniforms, placed, this.vertexCount, parts, this.renderer.getPixelRatio());
    this.scene.add(this.surface.mesh);
    this.setLooks({});
    this.picker = new Picker(this.surface.triangles, this.surface.vertices, this.deformer.width);
    this.uniforms.width.value = this.deformer.width;
    this.uniforms.source.value = this.deformer.source ?? null;
    this.uniforms.influences.value = influences.texture;
    this.uniforms.perVertex.value = influences.perVertex;
    const none = floatTexture(new Float32Array(this.vertexCount), 1, this.deformer.width);
    this.uniforms.scalars.value = none;
    this.uniforms.labels.value = none;
    this.cameras.setDiagonal(diagonal);
    this.controls.minDistance = nearestLook * diagonal;
    this.controls.maxDistance = farthestLook * diagonal;
    this.moves.radius = diagonal / 2;
    if (!keepCamera) this.moves.frameAll(false);
    this.stale = true;
    this.palettes.clear();
    this.draw();
  }

  private clear(): void {
    if (this.surface !== undefined) this.scene.remove(this.surface.mesh);
    this.surface?.dispose();
    this.picker?.dispose();
    this.deformer?.dispose();
    this.uniforms.scalars.value?.dispose();
    this.uniforms.labels.value?.dispose();
    this.deformer = undefined;
    this.surface = undefined;
  }

  /** Per binding: an index into categoryColours. */
  setBindingColours(colours: Uint8Array): void {
    this.uniforms.bindingColour.value?.dispose();
    this.uniforms.bindingColour.value = floatTexture(Float32Array.from(colours), 1, textureWidth);
    this.draw();
  }

  /** A value per vertex to colour by, and the upper end of the scale, which starts at 0. */
  setScalars(values: Float32Array, range: number): void {
    this.uniforms.scalars.value?.dispose();
    this.uniforms.scalars.value = floatTexture(values, 1, this.deformer?.width ?? 1);
    this.uniforms.scalarFrom.value = 0;
    this.uniforms.scalarRange.value = range;
    this.draw();
  }

  setLabels(labels: Float32Array): void {
    this.uniforms.labels.value?.dispose();
    this.uniforms.labels.value = floatTexture(labels, 1, this.deformer?.width ?? 1);
    this.draw();
  }

  /** Soft selection, per vertex: distance in radii and falloff; undefined: none. */
  setSoft(field: THREE.DataTexture | undefined): void {
    if (field === undefined && !this.uniforms.softShown.value) return;
    this.uniforms.soft.value?.dispose();
    this.uniforms.soft.value = field ?? null;
    this.uniforms.softShown.value = field !== undefined;
    this.draw();
  }

  setShown(shown: Shown, binding = 0): void {
    this.uniforms.shown.value = shown;
    this.uniforms.binding.value = binding;
    this.setLooks({});
  }

  /** How the skin is drawn; what is not given stays. */
  setLooks(looks: Partial<{ shading: Shading; wireframe: boolean; dots: boolean }>): void {
    const before = this.looks;
    this.looks = { ...before, ...looks };
    const { shading, wireframe, dots } = this.looks;
    this.surface?.show(shading, this.uniforms.shown.value as Shown);
    if (wireframe !== (this.surface?.wireframe ?? false)) this.surface?.setWireframe(wireframe);
    if (dots !== (this.surface?.dotted ?? false)) this.surface?.setDots(dots);
    this.draw();
  }

  /** Parts that are neither drawn nor picked. */
  setHidden(parts: ReadonlySet<number>): void {
    if (this.surface?.setHidden(parts) !== true) return;
    for (const call of this.onHidden) call();
    this.draw();
  }

  /** Turns the lights, which follow the camera, by this angle from their usual place. */
  setLightTurn(radians: number): void {
    this.lights.rotation.y = radians;
    this.draw();
  }

  /** An image of a view without its background, with its overlays or without. */
  picture(view: number, scale: number, overlays: boolean): HTMLCanvasElement {
    const ratio = this.renderer.getPixelRatio();
    const background = this.scene.background;
    this.renderer.setPixelRatio(ratio * scale);
    this.scene.background = null;
    this.frame(false);
    this.renderer.setScissorTest(false);
    this.renderer.setClearColor(0, 0);
    this.renderer.clear();
    // Each part of a view keeps to its own side.
    this.renderer.setScissorTest(true);
    this.drawView(view, overlays);
    this.renderer.setScissorTest(false);
    const r = this.rectangle(view);
    const image = document.createElement('canvas');
    Object.assign(image, { width: Math.round(r.width * ratio * scale), height: Math.round(r.height * ratio * scale) });
    image.getContext('2d')?.drawImage(this.canvas, -r.x * ratio * scale, -r.y * ratio * scale);
    this.scene.background = background;
    this.renderer.setPixelRatio(ratio);
    this.draw();
    return image;
  }

  applyFrame(frame: Frame): void {
    const moved = this.palettes.take(frame);
    const morphed = this.deformer?.setTargets(frame.view, frame.targets, frame.targetWeights) ?? false;
    const offset = this.deformer?.setOffsets(frame.view, frame.moved, frame.offsets, true) ?? false;
    // Frames that move nothing (a pin) need no deformation pass.
    if (this.deformer === undefined || !(moved || morphed || offset)) return;
    this.controlsPerView = this.palettes.matricesPerView;
    this.views = this.palettes.views;
    this.deformer.setPalettes(this.palettes.values, this.views);
    this.stale = true;
    this.draw();
  }

  /** Vertices that a sculpting stroke has moved. */
  applySculpted({ view, vertices, offsets }: Sculpted): void {
    if (this.deformer?.setOffsets(view, vertices, offsets, false) !== true) return;
    this.stale = true;
    this.draw();
  }

  applyWeights(message: Weights): void {
    const influences = this.deformer?.influences;
    if (influences === undefined) return;
    influences.update(message.vertices, message.counts, message.bindings, message.weights);
    this.uniforms.influences.value = influences.texture;
    this.uniforms.perVertex.value = influences.perVertex;
    this.stale = true;
    this.draw();
  }

  /** Requests a frame; several requests are merged into one. */
  draw(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.frame();
    });
  }

  get settled(): boolean {
    return !this.pending;
  }

  /** Draws all views, or only prepares them. */
  private frame(visibly = true): void {
    const begin = performance.now();
    // A long pause must not become a long step of the camera.
    const step = Math.min(0.1, (begin - this.lastFrame) / 1000);
    this.lastFrame = begin;
    if (this.controls.update(step)) this.draw();
    if (this.stale && this.deformer !== undefined) {
      this.deformer.influences.flush(this.renderer);
      this.deformer.run(this.renderer, this.controlsPerView, this.views);
      this.counters.deforms += 1;
      this.stale = false;
    }
    for (const call of this.beforeDraw) call();
    if (!visibly) return;
    const { width, height } = this.size;
    if (this.views === 3) this.clearAll();
    this.renderer.setScissorTest(true);
    for (const view of this.shownViews) this.drawView(view);
    this.renderer.setScissorTest(false);
    this.renderer.setViewport(0, 0, width, height);
    this.counters.frames += 1;
    this.onFrameTime(performance.now() - begin);
  }

  /** Three views leave a quarter of the canvas, which would keep an old picture. */
  private clearAll(): void {
    const [colour, alpha] = [this.renderer.getClearColor(new THREE.Color()), this.renderer.getClearAlpha()];
    if (this.scene.background instanceof THREE.Color) this.renderer.setClearColor(this.scene.background, 1);
    this.renderer.clear();
    this.renderer.setClearColor(colour, alpha);
  }

  private drawView(view: number, overlays = true): void {
    const { height } = this.size;
    const r = this.rectangle(view);
    this.renderer.setViewport(r.x, height - r.y - r.height, r.width, r.height);
    const camera = this.cameraOf(view);
    for (const overlay of this.overlays) {
      if (overlay.object.parent !== this.scene) this.scene.add(overlay.object);
      overlay.object.visible = overlays && (overlay.view === undefined ? view !== besideView : overlay.view === view);
    }
    const { value: own } = this.uniforms.scalars;
    for (const { from, to, deformed, scalars } of this.partsOf(view)) {
      const [left, right] = [Math.round(from * r.width), Math.round(to * r.width)];
      if (right <= left) continue;
      this.renderer.setScissor(r.x + left, height - r.y - r.height, right - left, r.height);
      if (this.surface !== undefined) this.surface.mesh.visible = deformed !== undefined;
      if (deformed !== undefined) {
        this.uniforms.positions.value = deformed.positions.texture;
        this.uniforms.normals.value = deformed.normals.texture;
      }
      this.uniforms.scalars.value = scalars ?? own;
      this.renderer.render(this.scene, camera);
    }
    this.uniforms.scalars.value = own;
  }

  private partsOf(view: number): ViewPart[] {
    return this.parts?.(view) ?? [{ from: 0, to: 1, deformed: this.deformer?.views[view] }];
  }

  /** The deformation that a view shows at this point of the canvas. */
  shownAt(x: number, view: number): DeformedView | undefined {
    const r = this.rectangle(view);
    const at = (x - r.x) / r.width;
    const parts = this.partsOf(view);
    return (parts.find(({ from, to }) => at >= from && at < to) ?? parts[0])?.deformed;
  }

  removeOverlay(overlay: Overlay): void {
    this.overlays.delete(overlay);
    this.scene.remove(overlay.object);
    this.draw();
  }

  get size(): { width: number; height: number } {
    const size = this.renderer.getSize(new THREE.Vector2());
    return { width: size.x, height: size.y };
  }

  /** The rectangle of a view on the canvas, in CSS pixels from the top left. */
  rectangle(view: number): ViewRectangle {
    const { width, height } = this.size;
    const shown = this.shownViews;
    return rectangleOf(Math.max(0, shown.indexOf(view)), shown.length, width, height);
  }

  /** In the order of their places. */
  private get shownViews(): number[] {
    if (this.besideOf !== undefined) return [Math.min(this.besideOf, this.views - 1), besideView];
    return Array.from({ length: this.views }, (_, view) => view);
  }

  /** Shows this view of the document with `besideView` at its right; undefined: all views of the document. */
  setBeside(view: number | undefined): void {
    this.besideOf = view;
    this.draw();
  }

  viewAt(x: number, y: number): number {
    for (const view of this.shownViews) {
      const r = this.rectangle(view);
      if (x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height) return view;
    }
    return 0;
  }

  get camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.cameras.current;
  }

  /** Orthographic instead of perspective. */
  get orthographic(): boolean {
    return this.cameras.orthographic;
  }
  setOrthographic(on: boolean): void {
    this.cameras.orthographic = on;
    this.draw();
  }

  /** The camera of a view, with its aspect and matrices up to date. */
  cameraOf(view: number): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    const r = this.rectangle(view);
    return this.cameras.shape(r.width / r.height, this.controls.distance);
  }

  /** x and y in CSS pixels of the canvas. */
  pick(x: number, y: number, through = false): (Picked & { view: number }) | undefined {
    const view = this.viewAt(x, y);
    const deformed = this.shownAt(x, view);
    if (this.picker === undefined || deformed === undefined) return undefined;
    const r = this.rectangle(view);
    const camera = this.cameraOf(view);
    const picked = this.picker.pick(this.renderer, camera, deformed.positions.texture, x - r.x, y - r.y, r.width, r.height, through);
    return picked === undefined ? undefined : { ...picked, view };
  }

  /** The ray through a point of the canvas, in the page's space. */
  ray(x: number, y: number, view = this.viewAt(x, y)): THREE.Ray {
    const r = this.rectangle(view);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((2 * (x - r.x)) / r.width - 1, 1 - (2 * (y - r.y)) / r.height), this.cameraOf(view));
    caster.ray.origin.addScaledVector(caster.ray.direction, this.cameras.rayStart);
    return caster.ray;
  }

  /** To CSS pixels of the canvas. */
  project(point: THREE.Vector3, view: number): { x: number; y: number; depth: number } {
    const r = this.rectangle(view);
    const p = point.clone().project(this.cameraOf(view));
    return { x: r.x + ((p.x + 1) / 2) * r.width, y: r.y + ((1 - p.y) / 2) * r.height, depth: p.z };
  }

  /** The current position of a vertex, read from the GPU. */
  position(vertex: number, view: number): THREE.Vector3 {
    const deformer = this.deformer;
    if (deformer === undefined || deformer.views[view] === undefined) return new THREE.Vector3();
    const texel = new Float32Array(4);
    this.renderer.readRenderTargetPixels(deformer.views[view].positions, vertex % deformer.width, Math.floor(vertex / deformer.width), 1, 1, texel);
    return new THREE.Vector3(texel[0], texel[1], texel[2]);
  }
}
