const EIGHTHS = [...'▁▂▃▄▅▆▇█'];

/** One character per value, with a height relative to the largest. Only a zero is a gap. */
export function sparkLine(values: readonly number[]): string {
  const most = Math.max(0, ...values);
  return values
    .map((value) => (value > 0 ? (EIGHTHS[Math.min(7, Math.ceil((value / most) * 8) - 1)] ?? '') : ' '))
    .join('')
    .trimEnd();
}
