// One bundle, so that the test and the module share the store.
export { batch } from '@preact/signals';
export * from '../../src/modes/pose_angles';
export * from '../../src/modes/shown_angles';
export * from '../../src/store';
