export * from '../../src/modes/fit/histogram';
