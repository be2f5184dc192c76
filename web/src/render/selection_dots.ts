// Selected vertices as dots in every view, positioned on the GPU: nothing is read back during drags.
import { BufferAttribute, BufferGeometry, GLSL3, Points, RawShaderMaterial } from 'three';
import { fetchChunk } from './deformer';
import type { Overlay, Stage } from './stage';

const vertexShader = `
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D positions;
uniform int width;
uniform float size;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
${fetchChunk}
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(texelFetch(positions, place(gl_VertexID, width), 0).xyz, 1.0);
  gl_PointSize = size;
}
`;

const fragmentShader = `
precision highp float;
out vec4 colour;
void main() {
  if (length(gl_PointCoord - 0.5) > 0.5) discard;
  colour = vec4(0.878, 0.129, 0.541, 1.0);
}
`;

export class SelectionDots {
  private readonly points: Points<BufferGeometry, RawShaderMaterial>;
  private readonly overlay: Overlay;

  constructor(private readonly stage: Stage) {
    const { positions, width } = stage.uniforms;
    const uniforms = { positions, width, size: { value: 5 * stage.renderer.getPixelRatio() } };
    const material = new RawShaderMaterial({ glslVersion: GLSL3, vertexShader, fragmentShader, uniforms, depthTest: false, depthWrite: false, transparent: true });
    this.points = new Points(new BufferGeometry(), material);
    this.points.frustumCulled = false;
    this.points.renderOrder = 9;
    this.overlay = { object: this.points };
  }

  show(vertices: number[]): void {
    this.stage.removeOverlay(this.overlay);
    this.points.geometry.dispose();
    this.points.geometry = new BufferGeometry();
    if (vertices.length === 0) return;
    this.points.geometry.setIndex(new BufferAttribute(Uint32Array.from(vertices), 1));
    this.stage.overlays.add(this.overlay);
    this.stage.draw();
  }

  dispose(): void {
    this.stage.removeOverlay(this.overlay);
    this.points.geometry.dispose();
    this.points.material.dispose();
  }
}
