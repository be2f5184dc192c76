// One bundle, so that the test and the module share the store.
export { batch } from '@preact/signals';
export { connection } from '../../src/client';
export { installStepEnds } from '../../src/gestures/pose_joints';
export * from '../../src/modes/correct/scrub';
export * from '../../src/store';
