import type { HeldContent } from './held-content.ts';

export interface DiffLine {
  readonly kind: 'title' | 'same' | 'removed' | 'added';
  readonly text: string;
}

const TITLES: Readonly<Record<keyof HeldContent, string>> = {
  ...{ to: 'To', cc: 'Cc', bcc: 'Bcc', subject: 'Subject', scheduledAt: 'Scheduled for', text: 'Text', html: 'HTML' },
};
/** Lines around a change that show where it is. */
const CONTEXT = 2;
/** Above this the middle counts as changed as a whole: comparing it line by line would take a noticeable time. */
const CELLS_MAX = 250_000;

/** What differs, field by field; empty where nothing does. */
export function differencesBetween(before: HeldContent, after: HeldContent): readonly DiffLine[] {
  // The keys of HeldContent, which Object.keys widens to string.
  const names = Object.keys(TITLES) as (keyof HeldContent)[];
  return names.flatMap((name) => differencesOf(TITLES[name], before[name], after[name]));
}

/** One field under its title; empty where nothing differs. */
export function differencesOf(
  title: string,
  before: string | readonly string[],
  after: string | readonly string[],
): readonly DiffLine[] {
  const [was, is] = [linesOf(before), linesOf(after)];
  if (was.join('\n') === is.join('\n')) return [];
  return [{ kind: 'title', text: title }, ...withContext(diffLines(was, is))];
}

function linesOf(value: string | readonly string[]): readonly string[] {
  if (typeof value !== 'string') return value;
  return value === '' ? [] : value.split('\n');
}

/** The shortest way from one list of lines to the other, by their longest common subsequence. */
function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const same = (lines: readonly string[]) => lines.map((text) => ({ kind: 'same' as const, text }));
  const middle = diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))];
}

function diffMiddle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (before.length * after.length > CELLS_MAX) return [...before.map(removed), ...after.map(added)];
  const common = commonLengths(before, after);
  const at = (row: number, column: number) => common[row]?.[column] ?? 0;
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [was, is] = [before[row], after[column]];
    if (was !== undefined && was === is) {
      lines.push({ kind: 'same', text: was });
      row += 1;
      column += 1;
    } else if (was !== undefined && (is === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(removed(was));
      row += 1;
    } else {
      lines.push(added(is ?? ''));
      column += 1;
    }
  }
  return lines;
}

/** `[i][j]`: how many lines the rests from i and j on have in common, in order. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    const [own, below] = [table[i] ?? [], table[i + 1] ?? []];
    for (let j = after.length - 1; j >= 0; j--) {
      own[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, own[j + 1] ?? 0);
    }
  }
  return table;
}

function withContext(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, index): readonly DiffLine[] => {
    if (isNear[index]) return [line];
    return index > 0 && isNear[index - 1] ? [{ kind: 'same', text: '…' }] : [];
  });
}
