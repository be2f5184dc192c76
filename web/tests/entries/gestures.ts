// One bundle, so that the test and the module share the store.
export * from '../../src/gestures/gesture_listeners';
export * from '../../src/store';
