export { connection } from '../../src/client';
export * from '../../src/gestures/undo';
