// Small pictures of the character as frames describe it, drawn apart from the views: clay, no background, always from the
// same side, so that the pictures of a list can be compared.
import { Box2, type BufferGeometry, type Material, Mesh, OrthographicCamera, Scene, SRGBColorSpace, Vector2, Vector3, WebGLRenderTarget } from 'three';
import type { Frame } from '../protocol/messages';
import { type Deformer, instanceDefines } from './deformer';
import { dressMaterial, makeClay, newSkinUniforms } from './skin_material';
import type { Stage } from './stage';
import { addLights } from './studio_lights';

/** In pixels: twice as large as they are shown. */
export const pictureSize = { width: 96, height: 80 };
const aspect = pictureSize.width / pictureSize.height;
/** From the target to the camera, as the views look at first. */
const side = new Vector3(0.55, 0.35, 3.1).normalize();
const margin = 1.08;
/** Vertices that decide what is in the picture. */
const sampled = 3000;

/** Where vertices are, seen along the axes of a camera: without reading from the GPU. */
function seenBox(deformer: Deformer, frame: Frame, right: Vector3, up: Vector3): Box2 {
  const { placed, influences } = deformer;
  const rest = deformer.rest.image.data as Float32Array;
  const { palette } = frame;
  const box = new Box2();
  const p = new Vector3();
  const skin = (i: number) => {
    const v = placed.source?.[2 * i] ?? i;
    const first = placed.source?.[2 * i + 1] ?? 0;
    p.set(0, 0, 0);
    for (const { binding, weight } of influences.column(v)) {
      const m = 12 * (first + binding);
      const [x, y, z] = [rest[4 * v], rest[4 * v + 1], rest[4 * v + 2]];
      p.x += weight * (palette[m] * x + palette[m + 1] * y + palette[m + 2] * z + palette[m + 3]);
      p.y += weight * (palette[m + 4] * x + palette[m + 5] * y + palette[m + 6] * z + palette[m + 7]);
      p.z += weight * (palette[m + 8] * x + palette[m + 9] * y + palette[m + 10] * z + palette[m + 11]);
    }
    return p;
  };
  const add = () => box.expandByPoint(new Vector2(p.dot(right), p.dot(up)));
  const every = (count: number) => Math.max(1, Math.floor(count / sampled));
  for (let i = 0; i < placed.count; i += every(placed.count)) {
    skin(i);
    add();
  }
  const { moved, offsets } = frame;
  for (let k = 0; k < moved.length; k += every(moved.length)) {
    skin(moved[k]).add(new Vector3().fromArray(offsets, 3 * k));
    add();
  }
  return box;
}

export class ExamplePainter {
  private readonly uniforms = newSkinUniforms();
  private readonly scene = new Scene();
  private readonly camera = new OrthographicCamera();
  private readonly target = new WebGLRenderTarget(pictureSize.width, pictureSize.height, { samples: 4, colorSpace: SRGBColorSpace });
  private readonly canvas = document.createElement('canvas');
  private mesh: Mesh<BufferGeometry, Material> | undefined;
  private of: Deformer | undefined;

  constructor(private readonly stage: Stage) {
    Object.assign(this.canvas, pictureSize);
    this.scene.add(this.camera);
    addLights(this.scene, this.camera);
    this.camera.up.set(0, 1, 0);
  }

  /** The mesh of the stage, in clay. */
  private follow(deformer: Deformer, triangles: BufferGeometry): void {
    if (this.of === deformer) return;
    this.forget();
    const clay = dressMaterial(makeClay(false), this.uniforms, instanceDefines(deformer.placed));
    this.mesh = new Mesh(triangles, clay);
    this.mesh.frustumCulled = false;
    this.scene.add(this.mesh);
    this.of = deformer;
  }

  /** The address of the picture; undefined if the stage has no mesh that fits the frame, or lost its graphics context. */
  async paint(frame: Frame): Promise<string | undefined> {
    const { deformer, surface, renderer } = this.stage;
    if (deformer === undefined || surface === undefined || renderer.getContext().isContextLost()) return undefined;
    this.follow(deformer, surface.triangles);
    const { positions, normals } = deformer.runApart(renderer, frame);
    const { uniforms } = this;
    uniforms.positions.value = positions.texture;
    uniforms.normals.value = normals.texture;
    uniforms.source.value = deformer.source ?? null;
    uniforms.width.value = deformer.width;
    uniforms.influences.value = deformer.influences.texture;
    uniforms.perVertex.value = deformer.influences.perVertex;
    this.aim(deformer, frame);
    const before = renderer.getRenderTarget();
    const alpha = renderer.getClearAlpha();
    renderer.setRenderTarget(this.target);
    renderer.setClearAlpha(0);
    renderer.clear();
    renderer.render(this.scene, this.camera);
    renderer.setClearAlpha(alpha);
    renderer.setRenderTarget(before);
    const { width, height } = pictureSize;
    const pixels = new Uint8ClampedArray(4 * width * height);
    await renderer.readRenderTargetPixelsAsync(this.target, 0, 0, width, height, pixels);
    return this.address(pixels);
  }

  /** Looks at all of it. */
  private aim(deformer: Deformer, frame: Frame): void {
    const { camera } = this;
    camera.position.copy(side);
    camera.lookAt(0, 0, 0);
    camera.updateMatrixWorld();
    const [right, up] = [0, 1].map((axis) => new Vector3().setFromMatrixColumn(camera.matrixWorld, axis));
    const box = seenBox(deformer, frame, right, up);
    const [middle, size] = [box.getCenter(new Vector2()), box.getSize(new Vector2())];
    const half = Math.max(1e-9, (margin / 2) * Math.max(size.y, size.x / aspect));
    const depth = 100 * half;
    camera.position.addScaledVector(side, -1).addScaledVector(right, middle.x).addScaledVector(up, middle.y);
    Object.assign(camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: -depth, far: depth });
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }

  /** Rows come from the bottom; at edges colours are those of the share that is covered. */
  private address(pixels: Uint8ClampedArray<ArrayBuffer>): string {
    const { width, height } = pictureSize;
    const image = new ImageData(width, height);
    for (let y = 0; y < height; ++y) image.data.set(pixels.subarray(4 * width * (height - 1 - y), 4 * width * (height - y)), 4 * width * y);
    for (let at = 0; at < image.data.length; at += 4) {
      const covered = image.data[at + 3] / 255;
      if (covered === 0 || covered === 1) continue;
      for (let channel = at; channel < at + 3; ++channel) image.data[channel] *= covered ** (-1 / 2.2);
    }
    this.canvas.getContext('2d')?.putImageData(image, 0, 0);
    return this.canvas.toDataURL();
  }

  /** Frees what belongs to the mesh, until the next picture. */
  forget(): void {
    this.of?.dropApart();
    if (this.mesh === undefined) return;
    this.scene.remove(this.mesh);
    this.mesh.material.dispose();
    this.mesh = this.of = undefined;
  }

  dispose(): void {
    this.forget();
    this.target.dispose();
  }
}
