const EIGHTHS = [...'▁▂▃▄▅▆▇█'];

/** One character a value, as high as its part of the largest. A day without anything is a gap, and one with something never is. */
export function sparkLine(values: readonly number[]): string {
  const most = Math.max(0, ...values);
  return values
    .map((value) => (value > 0 ? (EIGHTHS[Math.min(7, Math.ceil((value / most) * 8) - 1)] ?? '') : ' '))
    .join('')
    .trimEnd();
}
