// Frames of a clip. A clip need not end on a whole frame: its last one is its end.

/** Frames of a second, as the timeline counts them. */
export const rate = 24;
/** Of a frame: times of files are rounded. */
const rounding = 1e-3;

export const lastFrameOf = (seconds: number) => Math.ceil(seconds * rate - rounding);

export function frameAt(time: number, seconds: number): number {
  return time >= seconds - rounding / rate ? lastFrameOf(seconds) : Math.min(Math.round(time * rate), lastFrameOf(seconds));
}

/** Never behind the end. */
export const timeOfFrame = (frame: number, seconds: number) => Math.min(frame / rate, seconds);
