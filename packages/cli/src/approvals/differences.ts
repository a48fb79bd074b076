import { diffArrays } from 'diff';
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
/** With more lines added and removed than this, all of them count as changed: to look for the shortest way would take a noticeable time. */
const EDITS_MAX = 1_000;

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

/** The shortest way from one list of lines to the other. */
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
