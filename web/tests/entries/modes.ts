export { h, options, render } from 'preact';
export * from '../../src/modes/modes';
export * from '../../src/store';
export { App } from '../../src/ui/app';
export { listedGroups, runKey } from '../../src/ui/commands';
export { pressed } from '../toy_mode';
