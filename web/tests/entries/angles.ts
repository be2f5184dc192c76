// One bundle, so that the test and the module share the store.
export { batch } from '@preact/signals';
export * from '../../src/gestures/joint_angles';
export * from '../../src/gestures/shown_angles';
export { mode } from '../../src/modes/modes';
export * from '../../src/store';
