// One canvas with up to four linked views, drawn on demand.
import CameraControls from 'camera-controls';
import * as THREE from 'three';
import type { Frame, Weights } from '../protocol/messages';
import { Palettes } from '../protocol/palettes';
import { ArrayKind, BlobArrays } from '../protocol/blob';
import { Deformer, instanceDefines } from './deformer';
import { MorphTargets } from './morphed_rest';
import { type Picked, Picker } from './picker';
import { placeInstances } from './placed_mesh';
import { makeSkinMaterial, newSkinUniforms, Shown } from './skin_material';
import { floatTexture, Influences, textureWidth } from './textures';
import { farthestLook, nearestLook, ViewCamera } from './view_camera';

CameraControls.install({ THREE });

export interface ViewRectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** An object that a mode draws over the skin. */
export interface Overlay {
  object: THREE.Object3D;
  /** Drawn only in this view; undefined: in all views. */
  view?: number;
}

/** In software rendering antialiasing would take most of the frame time. */
function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const names = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && names ? String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly controls: CameraControls;
  readonly uniforms = newSkinUniforms();
  readonly overlays = new Set<Overlay>();
  readonly counters = { frames: 0, deforms: 0 };
  deformer: Deformer | undefined;
  picker: Picker | undefined;
  controlsPerView = 0;
  vertexCount = 0;
  /** Triangles of the first instances, and the welded point of each vertex: at seams several vertices share one. */
  topology: { triangles: Uint32Array; points: Uint32Array } | undefined;
  views = 1;
  /** Called before a frame is drawn; modes update their overlays here. */
  beforeDraw: (() => void)[] = [];
  onFrameTime: (milliseconds: number) => void = () => {};
  onLost: (lost: boolean) => void = () => {};

  private readonly scene = new THREE.Scene();
  private readonly cameras = new ViewCamera();
  private lastFrame = performance.now();
  private mesh: THREE.Mesh | undefined;
  private vertexGeometry: THREE.BufferGeometry | undefined;
  private pending = false;
  private stale = true;
  private radius = 1;
  private readonly calm = window.matchMedia('(prefers-reduced-motion: reduce)');
  readonly palettes = new Palettes();

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !drawsInSoftware(), preserveDrawingBuffer: true });
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (gl.getExtension('EXT_color_buffer_float') === null)
      throw new Error('floating-point render targets (EXT_color_buffer_float) are not supported.');
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.autoClear = false;
    const rig = this.cameras.perspective;
    this.scene.add(rig);
    const key = new THREE.DirectionalLight(0xffffff, 2.2);
    key.position.set(0.6, 1, 1.2);
    const fill = new THREE.DirectionalLight(0xdfe8ff, 0.7);
    fill.position.set(-1, 0.2, 0.6);
    rig.add(key, fill, key.target, fill.target);
    key.target.position.set(0, 0, -1);
    fill.target.position.set(0, 0, -1);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x5a5148, 0.9));
    this.controls = new CameraControls(rig, canvas);
    // With reduced motion the camera moves without easing.
    const soften = () => {
      this.controls.smoothTime = this.calm.matches ? 0 : 0.08;
      this.controls.draggingSmoothTime = this.calm.matches ? 0 : 0.02;
    };
    soften();
    this.calm.addEventListener('change', soften);
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
  setMesh(mesh: ArrayBuffer, weights: ArrayBuffer, morphs: ArrayBuffer | undefined, diagonal: number, keepCamera: boolean): void {
    this.clear();
    const arrays = new BlobArrays(mesh);
    const rest = arrays.f32(ArrayKind.Rest);
    const triangles = arrays.u32(ArrayKind.Triangles);
    this.vertexCount = rest.length / 3;
    this.radius = diagonal / 2;
    const columns = new BlobArrays(weights);
    const influences = new Influences(
      columns.u32(ArrayKind.InfluenceStart),
      columns.u32(ArrayKind.Bindings),
      columns.f32(ArrayKind.Weights),
    );
    const points = arrays.u32(ArrayKind.PointOfVertex);
    this.topology = { triangles, points };
    const placed = placeInstances(this.vertexCount, triangles, points, arrays.u32(ArrayKind.Instances));
    this.deformer = new Deformer(rest, placed, influences, morphs === undefined ? undefined : new MorphTargets(morphs));
    const geometry = new THREE.BufferGeometry();
    geometry.setIndex(new THREE.BufferAttribute(placed.triangles, 1));
    const dots = new THREE.BufferGeometry();
    const all = new Uint32Array(this.vertexCount);
    for (let v = 0; v < all.length; ++v) all[v] = v;
    dots.setIndex(new THREE.BufferAttribute(all, 1));
    this.vertexGeometry = dots;
    this.mesh = new THREE.Mesh(geometry, makeSkinMaterial(this.uniforms, instanceDefines(placed)));
    this.mesh.frustumCulled = false;
    this.scene.add(this.mesh);
    this.picker = new Picker(geometry, dots, this.deformer.width);
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
    if (!keepCamera) this.frameAll(false);
    this.stale = true;
    this.palettes.clear();
    this.draw();
  }

  private clear(): void {
    if (this.mesh !== undefined) {
      this.scene.remove(this.mesh);
      this.mesh.geometry.dispose();
      (this.mesh.material as THREE.Material).dispose();
    }
    this.vertexGeometry?.dispose();
    this.picker?.dispose();
    this.deformer?.dispose();
    this.deformer = undefined;
    this.mesh = undefined;
  }

  /** Per binding: an index into categoryColours. */
  setBindingColours(colours: Uint8Array): void {
    this.uniforms.bindingColour.value?.dispose();
    this.uniforms.bindingColour.value = floatTexture(Float32Array.from(colours), 1, textureWidth);
    this.draw();
  }

  /** A value per vertex to colour by, and the upper end of the scale. */
  setScalars(values: Float32Array, range: number): void {
    this.uniforms.scalars.value?.dispose();
    this.uniforms.scalars.value = floatTexture(values, 1, this.deformer?.width ?? 1);
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
    this.draw();
  }

  applyFrame(frame: Frame): void {
    const moved = this.palettes.take(frame);
    const morphed = this.deformer?.setTargets(frame.view, frame.targets, frame.targetWeights) ?? false;
    // Frames that move nothing (a pin) need no deformation pass.
    if (this.deformer === undefined || !(moved || morphed)) return;
    this.controlsPerView = this.palettes.matricesPerView;
    this.views = this.palettes.views;
    this.deformer.setPalettes(this.palettes.values, this.views);
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

  private frame(): void {
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
    const { width, height } = this.size;
    this.renderer.setScissorTest(true);
    for (let view = 0; view < this.views; ++view) this.drawView(view);
    this.renderer.setScissorTest(false);
    this.renderer.setViewport(0, 0, width, height);
    this.counters.frames += 1;
    this.onFrameTime(performance.now() - begin);
  }

  private drawView(view: number): void {
    const { height } = this.size;
    const r = this.rectangle(view);
    this.renderer.setViewport(r.x, height - r.y - r.height, r.width, r.height);
    this.renderer.setScissor(r.x, height - r.y - r.height, r.width, r.height);
    const camera = this.cameraOf(view);
    const deformed = this.deformer?.views[view];
    if (this.mesh !== undefined) this.mesh.visible = deformed !== undefined;
    if (deformed !== undefined) {
      this.uniforms.positions.value = deformed.positions.texture;
      this.uniforms.normals.value = deformed.normals.texture;
    }
    for (const overlay of this.overlays) {
      if (overlay.object.parent !== this.scene) this.scene.add(overlay.object);
      overlay.object.visible = overlay.view === undefined || overlay.view === view;
    }
    this.renderer.render(this.scene, camera);
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
    if (this.views <= 1) return { x: 0, y: 0, width, height };
    const columns = 2;
    const rows = Math.ceil(this.views / columns);
    const w = Math.floor(width / columns);
    const h = Math.floor(height / rows);
    return { x: (view % columns) * w, y: Math.floor(view / columns) * h, width: w, height: h };
  }

  viewAt(x: number, y: number): number {
    for (let view = 0; view < this.views; ++view) {
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
    const deformed = this.deformer?.views[view];
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
    this.renderer.readRenderTargetPixels(
      deformer.views[view].positions,
      vertex % deformer.width,
      Math.floor(vertex / deformer.width),
      1,
      1,
      texel,
    );
    return new THREE.Vector3(texel[0], texel[1], texel[2]);
  }

  /** Whether camera moves are animated, unless the system asks for reduced motion. */
  private get glides(): boolean {
    return !this.calm.matches;
  }

  frameAll(animate = true): void {
    void this.controls.setLookAt(0.55 * this.radius, 0.35 * this.radius, 3.1 * this.radius, 0, 0, 0, false);
    void this.controls.fitToSphere(new THREE.Sphere(new THREE.Vector3(), 1.02 * this.radius), animate && this.glides);
    this.draw();
  }

  framePoint(point: THREE.Vector3, radius: number): void {
    void this.controls.fitToSphere(new THREE.Sphere(point, radius), this.glides);
    this.draw();
  }

  /** Sets the point that the view orbits. */
  centreOn(point: THREE.Vector3): void {
    void this.controls.moveTo(point.x, point.y, point.z, this.glides);
    this.draw();
  }

  /** Azimuth and polar angle, in radians. */
  lookFrom(azimuth: number, polar: number): void {
    const round = 2 * Math.PI;
    // By the shorter way.
    const near = azimuth + round * Math.round((this.controls.azimuthAngle - azimuth) / round);
    void this.controls.rotateTo(near, polar, this.glides);
    this.draw();
  }

  turn(azimuth: number, polar: number): void {
    void this.controls.rotate(azimuth, polar, this.glides);
    this.draw();
  }

  /** Moves the camera nearer by this factor. */
  approach(factor: number): void {
    void this.controls.dollyTo(this.controls.distance / factor, this.glides);
    this.draw();
  }
}
