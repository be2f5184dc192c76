// The renderer of the stage, and its lights: two that follow the camera, and one from the sky.
import { type Camera, DirectionalLight, Group, HemisphereLight, type Scene, WebGLRenderer } from 'three';

/** In software rendering antialiasing would take most of the frame time. */
function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const names = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && names ? String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

/** Throws if the browser lacks what the deformer needs. */
export function makeRenderer(canvas: HTMLCanvasElement): WebGLRenderer {
  const renderer = new WebGLRenderer({ canvas, antialias: !drawsInSoftware(), preserveDrawingBuffer: true, alpha: true });
  const gl = renderer.getContext() as WebGL2RenderingContext;
  if (gl.getExtension('EXT_color_buffer_float') === null) throw new Error('floating-point render targets (EXT_color_buffer_float) are not supported.');
  renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
  renderer.autoClear = false;
  return renderer;
}

/** Returns the group of those that follow the camera. */
export function addLights(scene: Scene, camera: Camera): Group {
  const lights = new Group();
  const key = new DirectionalLight(0xffffff, 2.2);
  key.position.set(0.6, 1, 1.2);
  const fill = new DirectionalLight(0xdfe8ff, 0.7);
  fill.position.set(-1, 0.2, 0.6);
  lights.add(key, fill, key.target, fill.target);
  key.target.position.set(0, 0, -1);
  fill.target.position.set(0, 0, -1);
  camera.add(lights);
  scene.add(new HemisphereLight(0xffffff, 0x5a5148, 0.9));
  return lights;
}
