// Files as three.js loads and plays them (GLTFLoader, AnimationMixer, SkinnedMesh), without a screen.
import { readFileSync } from 'node:fs';
import { load } from './support.mjs';

globalThis.self ??= globalThis;
const three = await load('three');
const { GLTFLoader } = await load('three/examples/jsm/loaders/GLTFLoader.js');

/** The file as three.js loads it, without decoding pictures (node has no decoder). */
export async function loadInThree(path) {
  const loader = new GLTFLoader();
  loader.register(() => ({ name: 'no pictures', loadTexture: () => Promise.resolve(new three.Texture()) }));
  const bytes = readFileSync(path);
  const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
  const meshes = [];
  gltf.scene.traverse((object) => {
    if (object.isSkinnedMesh) meshes.push(object);
  });
  const place = (mesh) => gltf.parser.associations.get(mesh);
  meshes.sort((a, b) => place(a).meshes - place(b).meshes || place(a).primitives - place(b).primitives);
  return { gltf, meshes };
}

/** World positions of all skinned meshes at a time of a clip. */
export function threePoints({ gltf, meshes }, clip, time) {
  const mixer = new three.AnimationMixer(gltf.scene);
  if (clip !== undefined) {
    const action = mixer.clipAction(gltf.animations[clip]);
    // Without this the last moment of a clip wraps to its first.
    action.setLoop(three.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    mixer.setTime(time);
  }
  gltf.scene.updateMatrixWorld(true);
  const points = [];
  const point = new three.Vector3();
  for (const mesh of meshes) {
    for (let v = 0; v < mesh.geometry.attributes.position.count; ++v) {
      points.push(...mesh.getVertexPosition(v, point).applyMatrix4(mesh.matrixWorld));
    }
  }
  // Back to the state of the file, so that the next clip starts from rest.
  mixer.stopAllAction();
  mixer.uncacheRoot(gltf.scene);
  return Float64Array.from(points);
}
