// Selected vertices as dots in every view, positioned on the GPU: nothing is read back during drags. Dots are about half as
// wide as the distance of vertices on the screen, so that the skin stays visible between them; where
// vertices are denser than pixels allow, dots are translucent. Those behind are faint.
import { BufferAttribute, BufferGeometry, GLSL3, Group, Points, RawShaderMaterial } from 'three';
import { fetchChunk } from './deformer';
import type { Overlay, Stage } from './stage';

const vertexShader = `
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D positions;
uniform int width;
uniform float spacing;
uniform float viewHeight;
uniform float ratio;
uniform float bias;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
out float pixels;
out float opacity;
${fetchChunk}
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(texelFetch(positions, place(gl_VertexID, width), 0).xyz, 1.0);
  float apart = spacing * projectionMatrix[1][1] * 0.5 * viewHeight / gl_Position.w;
  pixels = ratio * clamp(0.6 * apart, 2.5, 8.0);
  opacity = mix(0.3, 1.0, smoothstep(2.5, 6.0, apart));
  gl_Position.z -= bias * gl_Position.w;
  gl_PointSize = pixels;
}
`;

const fragmentShader = `
precision highp float;
uniform float strength;
in float pixels;
in float opacity;
out vec4 colour;
void main() {
  float fromMiddle = length(gl_PointCoord - 0.5) * pixels;
  float edge = 0.5 * pixels;
  if (fromMiddle > edge) discard;
  // A light rim where there is room for one.
  bool rim = pixels > 4.5 && fromMiddle > edge - 1.3;
  colour = vec4(rim ? vec3(1.0) : vec3(0.878, 0.129, 0.541), strength * opacity);
}
`;

/** The mean length of some edges. */
function meanEdge(rest: Float32Array, triangles: Uint32Array): number {
  const step = 3 * Math.max(1, Math.floor(triangles.length / 3 / 2000));
  let [sum, count] = [0, 0];
  for (let t = 0; t + 1 < triangles.length; t += step) {
    const [a, b] = [4 * triangles[t], 4 * triangles[t + 1]];
    sum += Math.hypot(rest[a] - rest[b], rest[a + 1] - rest[b + 1], rest[a + 2] - rest[b + 2]);
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

export class SelectionDots {
  private readonly group = new Group();
  private readonly dots: Points<BufferGeometry, RawShaderMaterial>[];
  private readonly overlay: Overlay = { object: this.group };
  private readonly spacing = { value: 0 };
  private readonly viewHeight = { value: 1 };
  private vertices: number[] = [];
  private readonly redraw = () => this.show(this.vertices);
  private readonly fit = () => void (this.viewHeight.value = this.stage.rectangle(0).height);

  constructor(private readonly stage: Stage) {
    const { positions, width } = stage.uniforms;
    const points = (behind: boolean) => {
      const uniforms = {
        positions,
        width,
        spacing: this.spacing,
        viewHeight: this.viewHeight,
        ratio: { value: stage.renderer.getPixelRatio() },
        bias: { value: behind ? 0 : 3e-4 },
        strength: { value: behind ? 0.22 : 1 },
      };
      const material = new RawShaderMaterial({ glslVersion: GLSL3, vertexShader, fragmentShader, uniforms, depthTest: !behind, depthWrite: false, transparent: true });
      const made = new Points(new BufferGeometry(), material);
      made.frustumCulled = false;
      made.renderOrder = behind ? 9 : 9.1;
      this.group.add(made);
      return made;
    };
    this.dots = [points(true), points(false)];
    stage.onHidden.add(this.redraw);
    stage.beforeDraw.push(this.fit);
  }

  /** Those of hidden parts are not drawn. */
  show(vertices: number[]): void {
    this.vertices = vertices;
    const { surface, deformer, topology } = this.stage;
    const seen = vertices.filter((vertex) => surface?.isHidden(vertex) !== true);
    this.stage.removeOverlay(this.overlay);
    if (seen.length === 0) return;
    if (deformer !== undefined && topology !== undefined) this.spacing.value = meanEdge(deformer.rest.image.data as Float32Array, topology.triangles);
    const index = new BufferAttribute(Uint32Array.from(seen), 1);
    for (const one of this.dots) {
      one.geometry.dispose();
      one.geometry = new BufferGeometry();
      one.geometry.setIndex(index);
    }
    this.stage.overlays.add(this.overlay);
    this.stage.draw();
  }

  dispose(): void {
    this.stage.onHidden.delete(this.redraw);
    this.stage.beforeDraw = this.stage.beforeDraw.filter((one) => one !== this.fit);
    this.stage.removeOverlay(this.overlay);
    for (const one of this.dots) {
      one.geometry.dispose();
      one.material.dispose();
    }
  }
}
