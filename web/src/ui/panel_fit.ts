// The widths of the side panels in windows that are too narrow for what the user chose: they shrink together, and only a
// window that cannot hold them at their least widths makes them cover the view.

export interface Widths {
  left: number;
  right: number;
}

/** What panels still work with. */
export const leastWidths: Widths = { left: 150, right: 220 };
/** The view keeps this share of the window, and never less than `leastView` pixels. */
const viewShare = 0.48;
const leastView = 320;

export interface Fit extends Widths {
  /** The panels cover the view: the window is too narrow for both. */
  over: boolean;
}

/** `wanted`: as chosen; `shown`: which of them are visible. */
export function fitPanels(window: number, wanted: Widths, shown: { left: boolean; right: boolean }): Fit {
  const visible = (widths: Widths) => (shown.left ? widths.left : 0) + (shown.right ? widths.right : 0);
  const least = { left: Math.min(wanted.left, leastWidths.left), right: Math.min(wanted.right, leastWidths.right) };
  if (visible(least) + leastView > window) {
    const most = Math.floor(0.6 * window);
    return { left: Math.min(wanted.left, most), right: Math.min(wanted.right, most), over: shown.left || shown.right };
  }
  const room = Math.max(visible(least), Math.min(window - leastView, (1 - viewShare) * window));
  const needed = visible(wanted);
  if (needed <= room) return { ...wanted, over: false };
  // Each gives up the same share of what it has beyond its least width.
  const share = (room - visible(least)) / (needed - visible(least));
  const shrunk = (panel: keyof Widths) => (shown[panel] ? Math.floor(least[panel] + share * (wanted[panel] - least[panel])) : wanted[panel]);
  return { left: shrunk('left'), right: shrunk('right'), over: false };
}
