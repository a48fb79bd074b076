import { singleLine } from '../../output/untrusted-text.ts';
import type { DiffLine } from '../differences.ts';
import type { Edits } from '../held-content.ts';
import type { Decision } from '../held-sends.ts';
import { type Hold, recipientsOf } from '../hold.ts';
import { authorOf, nameOf, type TemplateDraft } from '../template-draft.ts';
import type { DraftDecision } from '../template-drafts.ts';

/** An item that waits for a decision. */
export type Waiting = Hold | TemplateDraft;

export interface InboxState {
  /** The pending holds, ordered by expiry. */
  readonly holds: readonly Hold[];
  /** Template drafts, newest first. The list shows them below the held sends, since they do not expire. */
  readonly drafts: readonly TemplateDraft[];
  /** Of both; can be higher than the number listed. */
  readonly total: number;
  /** The id of the row under the cursor. */
  readonly at: string | null;
  /** Held sends only: drafts are decided one at a time. */
  readonly selected: ReadonlySet<string>;
  readonly filter: string;
  /** Whether an approval trusts the recipients from then on. */
  readonly isRemembering: boolean;
  /** The previewed item; null while the list is shown. */
  readonly opened: Waiting | null;
  readonly dialog: Dialog | null;
  /** The number of lines scrolled past the top. */
  readonly scroll: number;
  /** The running operation as text. Keys are ignored while it runs. */
  readonly busy: string | null;
  readonly notice: Notice | null;
  /** Why the caller cannot decide; null if it can. The keys that decide are then not offered. */
  readonly cannotDecide: string | null;
  /** Why the list may be old; null if the last refresh succeeded. */
  readonly refreshError: string | null;
}

export interface Notice {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'faint';
}

export function refusalNotice(reason: string | null): Notice | null {
  return reason === null ? null : { text: reason, tone: 'bad' };
}

/** A dialog on top of the list or the preview. */
export type Dialog =
  | { readonly kind: 'help' }
  | { readonly kind: 'filter'; readonly draft: string }
  /** Confirms an approval; `edited` contains the user's changes. */
  | {
      readonly kind: 'approve';
      readonly holds: readonly Hold[];
      readonly edited: Edited | null;
      /** Why the server would not send them; missing until it is known. */
      readonly warnings?: readonly string[];
    }
  | { readonly kind: 'code'; readonly holds: readonly Hold[]; readonly choice: number }
  | { readonly kind: 'note'; readonly holds: readonly Hold[]; readonly code: string; readonly draft: string }
  /** The edited file is invalid: edit it again, or discard it. */
  | { readonly kind: 'unreadable'; readonly hold: Hold; readonly file: string; readonly message: string }
  /** Another user changed it in the meantime, so the decision must be confirmed again. */
  | { readonly kind: 'changed'; readonly hold: Hold; readonly diff: readonly DiffLine[]; readonly decision: Decision }
  /** Another user decided it, or it expired. */
  | { readonly kind: 'ended'; readonly hold: Hold }
  /** Confirms the decision about a draft. */
  | { readonly kind: 'draft'; readonly draft: TemplateDraft; readonly decision: DraftDecision }
  /** The draft was decided elsewhere or withdrawn by its author. */
  | { readonly kind: 'draft-gone'; readonly draft: TemplateDraft };

export interface Edited {
  readonly edits: Edits;
  readonly diff: readonly DiffLine[];
  readonly file: string;
}

/** The rejection codes with their meanings. */
export const REJECT_CHOICES = [
  { code: 'wrong_recipient', words: 'It is addressed to the wrong recipient.' },
  { code: 'wrong_content', words: 'The content is wrong.' },
  { code: 'not_needed', words: 'It does not need to be sent.' },
  { code: 'policy', words: 'Our policy forbids it.' },
  { code: 'other', words: 'Another reason; explain it in the note.' },
] as const;

export const EMPTY_INBOX: InboxState = {
  ...{ holds: [], drafts: [], total: 0, at: null, selected: new Set(), filter: '', isRemembering: false, opened: null },
  ...{ dialog: null, scroll: 0, busy: null, notice: null, cannotDecide: null, refreshError: null },
};

/** The rows that match the filter. */
export function visibleItems({
  holds,
  drafts,
  filter,
}: Pick<InboxState, 'holds' | 'drafts' | 'filter'>): readonly Waiting[] {
  const wanted = filter.trim().toLowerCase();
  const all = [...holds, ...drafts];
  return wanted === '' ? all : all.filter((item) => searchText(item).toLowerCase().includes(wanted));
}

function searchText(item: Waiting): string {
  if (item.kind === 'draft')
    return singleLine(`draft ${nameOf(item)} ${item.name} ${authorOf(item)} ${item.note ?? ''}`);
  const { subject, from, agentName, keyName, source, reasons } = item;
  return singleLine([subject, from, agentName, keyName, source, ...reasons, ...recipientsOf(item)].join(' '));
}

/** The item under the cursor, or the first one if that is gone. */
export function currentItem(state: InboxState): Waiting | null {
  const visible = visibleItems(state);
  return visible.find(({ id }) => id === state.at) ?? visible[0] ?? null;
}

/** The sends that a decision applies to: the opened one, else the selected ones, else the one under the cursor. */
export function targetsOf(state: InboxState): readonly Hold[] {
  if (state.opened !== null) return state.opened.kind === 'send' ? [state.opened] : [];
  const selected = state.holds.filter(({ id }) => state.selected.has(id));
  const visible = new Set<Waiting>(visibleItems(state));
  const shown = selected.filter((hold) => visible.has(hold));
  if (shown.length > 0) return shown;
  const current = currentItem(state);
  return current?.kind === 'send' ? [current] : [];
}

/** The draft that a decision applies to if it applies to no send. */
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

/** Updates the list: items that are gone are no longer selected, and the cursor moves to the item in their place. */
export function withList(state: InboxState, { holds, drafts, total }: Listed): InboxState {
  const [before, after] = [
    [...state.holds, ...state.drafts],
    [...holds, ...drafts],
  ];
  const place = before.findIndex(({ id }) => id === state.at);
  const isPresent = after.some(({ id }) => id === state.at);
  const at = isPresent ? state.at : (after[Math.min(Math.max(0, place), after.length - 1)]?.id ?? null);
  const selected = new Set([...state.selected].filter((id) => holds.some((hold) => hold.id === id)));
  return { ...state, holds, drafts, total, at, selected, refreshError: null };
}
