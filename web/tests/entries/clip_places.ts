export * from '../../src/modes/pose/clip_places';
export * from '../../src/store';
