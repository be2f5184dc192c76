// A ride through a clip or keys is a gesture: undo in its middle stops it and takes it back, as with a drag; redo and the
// history come after it. So no step is made that nobody asked for, and what was undone can still be redone.
import { command } from '../client';

type Ride = () => Promise<boolean>;
const rides: Ride[] = [];

/** `takeBack` stops it where it goes on, and tells whether it did. */
export function addRide(takeBack: Ride): void {
  rides.push(takeBack);
}

async function takeBackRides(): Promise<boolean> {
  let any = false;
  for (const ride of rides) any = (await ride()) || any;
  return any;
}

export async function undo(): Promise<void> {
  if (!(await takeBackRides())) await command('undo');
}

export async function redo(): Promise<void> {
  await takeBackRides();
  await command('redo');
}

export async function jump(depth: number): Promise<void> {
  await takeBackRides();
  await command('history.jump', { depth });
}
