/** One wrong letter is allowed per this many letters. */
const LETTERS_PER_FAULT = 3;

/** The most likely intended word for a mistyped one; null if none is close. */
export function nearestWord(typed: string, words: readonly string[]): string | null {
  const mostFaults = Math.max(1, Math.floor(typed.length / LETTERS_PER_FAULT));
  const near = words
    .map((word) => ({ word, faults: countFaults(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ faults }) => faults <= mostFaults)
    .toSorted((a, b) => a.faults - b.faults);
  return near[0]?.word ?? null;
}

/** The letters to insert, remove, change or swap with the next one (optimal string alignment). */
function countFaults(a: string, b: string): number {
  const lines: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => lines[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    lines.push(line);
    for (let column = 1; column <= b.length; column++) {
      const changed = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : changed;
      line.push(Math.min(changed, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(a.length, b.length);
}
