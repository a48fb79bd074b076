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

/** The Levenshtein distance: letters to insert, remove or change. */
function countFaults(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const changed = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      line.push(Math.min(changed, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1));
    }
    above = line;
  }
  return above[b.length] ?? 0;
}
