export { connection } from '../../src/client';
export * from '../../src/modes/rides';
