import { singleLine } from '../../../output/untrusted-text.ts';
import type { DiffLine } from '../differences.ts';
import type { Edits } from '../held-content.ts';
import type { Decision } from '../held-sends.ts';
import { type Hold, recipientsOf } from '../hold.ts';

export interface InboxState {
  /** What waits, the one that expires first at the top. */
  readonly holds: readonly Hold[];
  readonly total: number;
  /** The id of the hold that the cursor stands on. */
  readonly at: string | null;
  readonly selected: ReadonlySet<string>;
  readonly filter: string;
  /** Whether an approval trusts the recipients from then on. */
  readonly isRemembering: boolean;
  /** The hold whose preview is open; without one the list is shown. */
  readonly opened: Hold | null;
  readonly dialog: Dialog | null;
  /** Lines that have gone past the top, of whatever is shown. */
  readonly scroll: number;
  /** What is under way, in words. Keys wait meanwhile. */
  readonly busy: string | null;
  readonly notice: Notice | null;
  /** Why the list may be old; null where the last look had an answer. */
  readonly trouble: string | null;
}

export interface Notice {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'faint';
}

/** What is asked of the person, on top of the list or the preview. */
export type Dialog =
  | { readonly kind: 'help' }
  | { readonly kind: 'filter'; readonly draft: string }
  /** Approve these? With `edited`, as it was changed: what is sent of it, what it shows, and the file, to go on editing. */
  | { readonly kind: 'approve'; readonly holds: readonly Hold[]; readonly edited: Edited | null }
  | { readonly kind: 'code'; readonly holds: readonly Hold[]; readonly choice: number }
  | { readonly kind: 'note'; readonly holds: readonly Hold[]; readonly code: string; readonly draft: string }
  /** The file could not be read back: edit it again, or drop it. */
  | { readonly kind: 'unreadable'; readonly hold: Hold; readonly file: string; readonly message: string }
  /** Somebody changed it meanwhile; the decision is asked for again. */
  | { readonly kind: 'changed'; readonly hold: Hold; readonly diff: readonly DiffLine[]; readonly decision: Decision }
  /** Somebody else decided, or nobody did in time. */
  | { readonly kind: 'ended'; readonly hold: Hold };

export interface Edited {
  readonly edits: Edits;
  readonly diff: readonly DiffLine[];
  readonly file: string;
}

/** The codes of a rejection, each with its meaning. */
export const REJECT_CHOICES = [
  { code: 'wrong_recipient', words: 'It goes to somebody it should not go to.' },
  { code: 'wrong_content', words: 'What it says is wrong.' },
  { code: 'not_needed', words: 'It need not be sent.' },
  { code: 'policy', words: 'A rule of ours forbids it.' },
  { code: 'other', words: 'Something else; say it in the note.' },
] as const;

export const EMPTY_INBOX: InboxState = {
  ...{ holds: [], total: 0, at: null, selected: new Set(), filter: '', isRemembering: false, opened: null },
  ...{ dialog: null, scroll: 0, busy: null, notice: null, trouble: null },
};

/** Those of the list that the filter lets through. */
export function visibleHolds({ holds, filter }: Pick<InboxState, 'holds' | 'filter'>): readonly Hold[] {
  const wanted = filter.trim().toLowerCase();
  return wanted === '' ? holds : holds.filter((hold) => wordsOf(hold).toLowerCase().includes(wanted));
}

function wordsOf(hold: Hold): string {
  const { subject, from, agentName, keyName, source, reasons } = hold;
  return singleLine([subject, from, agentName, keyName, source, ...reasons, ...recipientsOf(hold)].join(' '));
}

/** The one under the cursor; the first where the cursor's own is gone. */
export function currentHold(state: InboxState): Hold | null {
  const visible = visibleHolds(state);
  return visible.find(({ id }) => id === state.at) ?? visible[0] ?? null;
}

/** What a decision is about: what is open, else what is selected, else what the cursor stands on. */
export function targetsOf(state: InboxState): readonly Hold[] {
  if (state.opened !== null) return [state.opened];
  const selected = visibleHolds(state).filter(({ id }) => state.selected.has(id));
  if (selected.length > 0) return selected;
  const current = currentHold(state);
  return current === null ? [] : [current];
}

/** The list as it is now; what is gone takes its mark along, and the cursor goes to what took its place. */
export function withList(state: InboxState, holds: readonly Hold[], total: number): InboxState {
  const place = state.holds.findIndex(({ id }) => id === state.at);
  const isThere = holds.some(({ id }) => id === state.at);
  const at = isThere ? state.at : (holds[Math.min(Math.max(0, place), holds.length - 1)]?.id ?? null);
  const selected = new Set([...state.selected].filter((id) => holds.some((hold) => hold.id === id)));
  return { ...state, holds, total, at, selected, trouble: null };
}
