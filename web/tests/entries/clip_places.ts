export * from '../../src/modes/pose_clip_places';
export * from '../../src/store';
