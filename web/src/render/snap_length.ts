/** A round number near a hundredth of the character. */
export function snapLength(diagonal: number): number {
  const [digits, power] = (diagonal / 100).toExponential().split('e');
  return Number(`${Number(digits) < 2 ? 1 : Number(digits) < 5 ? 2 : 5}e${power}`);
}
