import { diffArrays } from 'diff';
import type { HeldContent } from './held-content.ts';

export interface DiffLine {
  readonly kind: 'title' | 'same' | 'removed' | 'added';
  readonly text: string;
}

const TITLES: Readonly<Record<keyof HeldContent, string>> = {
  ...{ to: 'To', cc: 'Cc', bcc: 'Bcc', subject: 'Subject', scheduledAt: 'Scheduled for', text: 'Text', html: 'HTML' },
};
/** The number of context lines around a change. */
const CONTEXT = 2;
/** With more changed lines than this, all lines count as changed, because the shortest difference would take noticeable time to find. */
const EDITS_MAX = 1_000;

/** The differences, field by field; empty if there are none. */
export function differencesBetween(before: HeldContent, after: HeldContent): readonly DiffLine[] {
  // The keys of HeldContent, which Object.keys widens to string.
  const names = Object.keys(TITLES) as (keyof HeldContent)[];
  return names.flatMap((name) => differencesOf(TITLES[name], before[name], after[name]));
}

/** The differences of one field under its title; empty if there are none. */
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

/** The shortest difference between two lists of lines. */
function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const changes = diffArrays([...before], [...after], { maxEditLength: EDITS_MAX });
  const kindOf = (change: { readonly added: boolean; readonly removed: boolean }) =>
    change.added ? 'added' : change.removed ? 'removed' : 'same';
  return (changes ?? [removing(before), adding(after)]).flatMap((change) =>
    change.value.map((text) => ({ kind: kindOf(change), text })),
  );
}

function removing(value: readonly string[]) {
  return { value, added: false, removed: true };
}

function adding(value: readonly string[]) {
  return { value, added: true, removed: false };
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
