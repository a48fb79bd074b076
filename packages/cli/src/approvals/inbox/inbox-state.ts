import { singleLine } from '../../output/untrusted-text.ts';
import type { DiffLine } from '../differences.ts';
import type { Edits } from '../held-content.ts';
import type { Decision } from '../held-sends.ts';
import { type Hold, recipientsOf } from '../hold.ts';
import { authorOf, nameOf, type TemplateDraft } from '../template-draft.ts';
import type { DraftDecision } from '../template-drafts.ts';

/** What an approver decides about. */
export type Waiting = Hold | TemplateDraft;

export interface InboxState {
  /** What waits, the one that expires first at the top. */
  readonly holds: readonly Hold[];
  /** Template drafts, newest first. The list shows them below the held sends, since they do not expire. */
  readonly drafts: readonly TemplateDraft[];
  /** Of both; may be more than are listed. */
  readonly total: number;
  /** The id of the row that the cursor is on. */
  readonly at: string | null;
  /** Held sends only: drafts are decided one at a time. */
  readonly selected: ReadonlySet<string>;
  readonly filter: string;
  /** Whether an approval trusts the recipients from then on. */
  readonly isRemembering: boolean;
  /** What is previewed; null while the list is shown. */
  readonly opened: Waiting | null;
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
  | {
      readonly kind: 'approve';
      readonly holds: readonly Hold[];
      readonly edited: Edited | null;
      /** Why the server would not send them; missing until that is known. */
      readonly warnings?: readonly string[];
    }
  | { readonly kind: 'code'; readonly holds: readonly Hold[]; readonly choice: number }
  | { readonly kind: 'note'; readonly holds: readonly Hold[]; readonly code: string; readonly draft: string }
  /** The file could not be read back: edit it again, or drop it. */
  | { readonly kind: 'unreadable'; readonly hold: Hold; readonly file: string; readonly message: string }
  /** Somebody changed it meanwhile; the decision is asked for again. */
  | { readonly kind: 'changed'; readonly hold: Hold; readonly diff: readonly DiffLine[]; readonly decision: Decision }
  /** Somebody else decided, or nobody did in time. */
  | { readonly kind: 'ended'; readonly hold: Hold }
  /** Publish or discard this draft? */
  | { readonly kind: 'draft'; readonly draft: TemplateDraft; readonly decision: DraftDecision }
  /** The draft was decided elsewhere, or its author took it back. */
  | { readonly kind: 'draft-gone'; readonly draft: TemplateDraft };

export interface Edited {
  readonly edits: Edits;
  readonly diff: readonly DiffLine[];
  readonly file: string;
}

/** The codes of a rejection, each with its meaning. */
export const REJECT_CHOICES = [
  { code: 'wrong_recipient', words: 'It is addressed to the wrong recipient.' },
  { code: 'wrong_content', words: 'The content is wrong.' },
  { code: 'not_needed', words: 'It does not need to be sent.' },
  { code: 'policy', words: 'Our policy forbids it.' },
  { code: 'other', words: 'Another reason; explain it in the note.' },
] as const;

export const EMPTY_INBOX: InboxState = {
  ...{ holds: [], drafts: [], total: 0, at: null, selected: new Set(), filter: '', isRemembering: false, opened: null },
  ...{ dialog: null, scroll: 0, busy: null, notice: null, trouble: null },
};

/** The rows that match the filter. */
export function visibleItems({
  holds,
  drafts,
  filter,
}: Pick<InboxState, 'holds' | 'drafts' | 'filter'>): readonly Waiting[] {
  const wanted = filter.trim().toLowerCase();
  const all = [...holds, ...drafts];
  return wanted === '' ? all : all.filter((item) => wordsOf(item).toLowerCase().includes(wanted));
}

function wordsOf(item: Waiting): string {
  if (item.kind === 'draft')
    return singleLine(`draft ${nameOf(item)} ${item.name} ${authorOf(item)} ${item.note ?? ''}`);
  const { subject, from, agentName, keyName, source, reasons } = item;
  return singleLine([subject, from, agentName, keyName, source, ...reasons, ...recipientsOf(item)].join(' '));
}

/** The one under the cursor; the first where the cursor's own is gone. */
export function currentItem(state: InboxState): Waiting | null {
  const visible = visibleItems(state);
  return visible.find(({ id }) => id === state.at) ?? visible[0] ?? null;
}

/** The sends that a decision is about: what is open, else what is selected, else what the cursor is on. */
export function targetsOf(state: InboxState): readonly Hold[] {
  if (state.opened !== null) return state.opened.kind === 'send' ? [state.opened] : [];
  const selected = state.holds.filter(({ id }) => state.selected.has(id));
  const visible = new Set<Waiting>(visibleItems(state));
  const shown = selected.filter((hold) => visible.has(hold));
  if (shown.length > 0) return shown;
  const current = currentItem(state);
  return current?.kind === 'send' ? [current] : [];
}

/** The draft that a decision is about, where it is about no send. */
export function targetDraftOf(state: InboxState): TemplateDraft | null {
  if (targetsOf(state).length > 0) return null;
  const item = state.opened ?? currentItem(state);
  return item?.kind === 'draft' ? item : null;
}

export interface Listed {
  readonly holds: readonly Hold[];
  readonly drafts: readonly TemplateDraft[];
  readonly total: number;
}

/** The list as it is now; what is gone takes its mark along, and the cursor goes to what took its place. */
export function withList(state: InboxState, { holds, drafts, total }: Listed): InboxState {
  const [before, after] = [
    [...state.holds, ...state.drafts],
    [...holds, ...drafts],
  ];
  const place = before.findIndex(({ id }) => id === state.at);
  const isThere = after.some(({ id }) => id === state.at);
  const at = isThere ? state.at : (after[Math.min(Math.max(0, place), after.length - 1)]?.id ?? null);
  const selected = new Set([...state.selected].filter((id) => holds.some((hold) => hold.id === id)));
  return { ...state, holds, drafts, total, at, selected, trouble: null };
}
