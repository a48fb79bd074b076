import type { Decision } from '../held-sends.ts';
import type { Hold } from '../hold.ts';
import type { TemplateDraft } from '../template-draft.ts';
import type { DraftDecision } from '../template-drafts.ts';
import {
  currentItem,
  type Dialog,
  type InboxState,
  REJECT_CHOICES,
  refusalNotice,
  targetDraftOf,
  targetsOf,
  visibleItems,
  type Waiting,
} from './inbox-state.ts';

/** A key by its name, such as `up` or `escape`, or a typed character. */
export interface Press {
  readonly name: string;
  /** The text it writes; empty for keys that write nothing, several characters for a paste. */
  readonly text: string;
}

/** The present size of the page and its scroll range. */
export interface Measures {
  readonly pageRows: number;
  readonly scrollMax: number;
}

export type Effect =
  | { readonly kind: 'quit' }
  /** Read the warnings for the approval in the dialog. */
  | { readonly kind: 'check' }
  /** `file` continues a previous edit; null starts a new one. */
  | { readonly kind: 'edit'; readonly hold: Hold; readonly file: string | null }
  | {
      readonly kind: 'decide';
      readonly holds: readonly Hold[];
      readonly decision: Decision;
      /** The dialog to return to if the decision fails, so that no input is lost. */
      readonly from: Dialog | null;
    }
  | { readonly kind: 'decide-draft'; readonly draft: TemplateDraft; readonly decision: DraftDecision };

export interface Pressed {
  readonly state: InboxState;
  readonly effect?: Effect;
}

/** The result of a key as a new state. It has no side effects: the caller runs the returned effect. */
export function pressKey(state: InboxState, press: Press, measures: Measures): Pressed {
  if (state.busy !== null) return { state };
  const { dialog } = state;
  const next = { ...state, notice: null };
  if (dialog !== null) return pressInDialog(next, dialog, press, measures);
  return (
    pressWithoutPermission(next, press) ??
    pressOnDraft(next, press) ??
    pressForBoth(next, press) ??
    (next.opened === null ? pressInList(next, press, measures) : pressInPreview(next, press, measures))
  );
}

/** Keys that lead to a decision, if the caller cannot decide; null for other keys. An author may still discard a draft. */
function pressWithoutPermission(state: InboxState, { name }: Press): Pressed | null {
  const { cannotDecide, opened } = state;
  if (cannotDecide === null) return null;
  const isDraft = targetDraftOf(state) !== null;
  const isDeciding = ['a', 'e', 'R'].includes(name) || (name === 'r' && !isDraft);
  const isSelecting = opened === null && ['space', '*'].includes(name);
  return isDeciding || isSelecting ? { state: { ...state, notice: refusalNotice(cannotDecide) } } : null;
}

/** Keys with the same meaning in the list and in the preview; null for other keys. */
function pressForBoth(state: InboxState, { name }: Press): Pressed | null {
  const holds = targetsOf(state);
  const [first] = holds;
  switch (name) {
    case 'q':
      return { state, effect: { kind: 'quit' } };
    case '?':
      return ask(state, { kind: 'help' });
    case 'R':
      return { state: { ...state, isRemembering: !state.isRemembering } };
    case 'a':
      if (first === undefined) return { state };
      return { ...ask(state, { kind: 'approve', holds, edited: null }), effect: { kind: 'check' } };
    case 'r':
      return first === undefined ? { state } : ask(state, { kind: 'code', holds, choice: 0 });
    case 'e': {
      // Only the item under the cursor, regardless of the selection.
      const item = state.opened ?? currentItem(state);
      if (item?.kind === 'draft') return notify(state, 'You cannot edit a draft here. Publish or discard it.');
      return item === null ? { state } : { state, effect: { kind: 'edit', hold: item, file: null } };
    }
    default:
      return null;
  }
}

/** Keys that decide a draft instead of a send; null for other keys, or without a draft. */
function pressOnDraft(state: InboxState, { name }: Press): Pressed | null {
  const draft = targetDraftOf(state);
  if (draft === null) return null;
  if (name === 'a') return ask(state, { kind: 'draft', draft, decision: 'publish' });
  if (name === 'r') return ask(state, { kind: 'draft', draft, decision: 'discard' });
  return null;
}

function pressInList(state: InboxState, { name }: Press, { pageRows }: Measures): Pressed {
  const visible = visibleItems(state);
  const index = Math.max(
    0,
    visible.findIndex(({ id }) => id === state.at),
  );
  const goTo = (wanted: number): Pressed => {
    const item = visible[Math.max(0, Math.min(visible.length - 1, wanted))];
    return { state: { ...state, at: item?.id ?? state.at } };
  };
  switch (name) {
    case 'up':
    case 'k':
      return goTo(index - 1);
    case 'down':
    case 'j':
      return goTo(index + 1);
    case 'pageup':
      return goTo(index - pageRows);
    case 'pagedown':
      return goTo(index + pageRows);
    case 'home':
    case 'g':
      return goTo(0);
    case 'end':
    case 'G':
      return goTo(visible.length - 1);
    case 'enter':
    case 'right':
    case 'l':
      return { state: { ...state, opened: currentItem(state), scroll: 0 } };
    case 'space':
      return toggled(state, visible[index], goTo(index + 1).state);
    case '*': {
      const holds = visible.filter(({ kind }) => kind === 'send');
      const isAll = holds.every(({ id }) => state.selected.has(id));
      return { state: { ...state, selected: new Set(isAll ? [] : holds.map(({ id }) => id)) } };
    }
    case '/':
      return ask(state, { kind: 'filter', draft: state.filter });
    case 'escape':
      if (state.selected.size > 0) return { state: { ...state, selected: new Set() } };
      return { state: { ...state, filter: '' } };
    default:
      return { state };
  }
}

/** Moves to the next row after a selection, so that the key can be repeated. */
function toggled(state: InboxState, item: Waiting | undefined, moved: InboxState): Pressed {
  if (item === undefined) return { state };
  if (item.kind === 'draft') return notify(state, 'Decide drafts one at a time: enter opens this one.');
  const selected = new Set(state.selected);
  if (!selected.delete(item.id)) selected.add(item.id);
  return { state: { ...moved, selected } };
}

function pressInPreview(state: InboxState, press: Press, measures: Measures): Pressed {
  if (['escape', 'left', 'h', 'backspace'].includes(press.name)) {
    return { state: { ...state, opened: null, scroll: 0 } };
  }
  if (press.name === 'n' || press.name === 'p') {
    const visible = visibleItems(state);
    const index = visible.findIndex(({ id }) => id === state.opened?.id);
    const item = visible[index + (press.name === 'n' ? 1 : -1)];
    return item === undefined ? { state } : { state: { ...state, opened: item, at: item.id, scroll: 0 } };
  }
  return { state: scrolled(state, press, measures) };
}

function scrolled(state: InboxState, { name }: Press, { pageRows, scrollMax }: Measures): InboxState {
  const steps: Readonly<Record<string, number>> = {
    ...{ up: -1, k: -1, down: 1, j: 1, pageup: -pageRows, pagedown: pageRows, space: pageRows },
    ...{ home: -scrollMax, g: -scrollMax, end: scrollMax, G: scrollMax },
  };
  const step = steps[name] ?? 0;
  return { ...state, scroll: Math.max(0, Math.min(scrollMax, Math.min(scrollMax, state.scroll) + step)) };
}

function pressInDialog(state: InboxState, dialog: Dialog, press: Press, measures: Measures): Pressed {
  switch (dialog.kind) {
    case 'help':
      return ['up', 'down', 'j', 'k', 'pageup', 'pagedown'].includes(press.name)
        ? { state: scrolled(state, press, measures) }
        : close(state);
    case 'ended':
    case 'draft-gone':
      return close({ ...state, opened: null });
    case 'draft':
      return pressInDraft(state, dialog, press, measures);
    case 'filter':
      return pressInFilter(state, dialog, press);
    case 'approve':
      return pressInApproval(state, dialog, press, measures);
    case 'code':
      return pressInCodes(state, dialog, press);
    case 'note':
      return pressInNote(state, dialog, press);
    case 'unreadable':
      return pressInUnreadable(state, dialog, press);
    case 'changed':
      return pressInChanged(state, dialog, press, measures);
  }
}

function pressInFilter(state: InboxState, { draft }: Dialog & { kind: 'filter' }, press: Press): Pressed {
  if (press.name === 'escape') return close({ ...state, filter: '' });
  if (press.name === 'enter') return close(state);
  const filter = typed(draft, press);
  return { state: { ...state, filter, dialog: { kind: 'filter', draft: filter } } };
}

function pressInApproval(
  state: InboxState,
  dialog: Dialog & { kind: 'approve' },
  press: Press,
  measures: Measures,
): Pressed {
  const { holds, edited } = dialog;
  const [first] = holds;
  switch (press.name) {
    case 'y':
      return decide(state, holds, { decision: 'approve', ...(edited === null ? {} : { edits: edited.edits }) });
    case 'n':
    case 'escape':
      return close(state);
    case 'R':
      return { state: { ...state, isRemembering: !state.isRemembering } };
    case 'e':
      if (first === undefined || holds.length > 1) return { state };
      return { ...close(state), effect: { kind: 'edit', hold: first, file: edited?.file ?? null } };
    default:
      return { state: scrolled(state, press, measures) };
  }
}

function pressInCodes(state: InboxState, dialog: Dialog & { kind: 'code' }, press: Press): Pressed {
  const { holds, choice } = dialog;
  const last = REJECT_CHOICES.length - 1;
  const choose = (wanted: number): Pressed => ({
    state: { ...state, dialog: { ...dialog, choice: Math.max(0, Math.min(last, wanted)) } },
  });
  if (press.name === 'escape') return close(state);
  if (press.name === 'up' || press.name === 'k') return choose(choice - 1);
  if (press.name === 'down' || press.name === 'j') return choose(choice + 1);
  const numbered = /^[1-5]$/.test(press.name) ? Number(press.name) - 1 : null;
  if (numbered === null && press.name !== 'enter') return { state };
  const chosen = REJECT_CHOICES[numbered ?? choice];
  return chosen === undefined ? { state } : ask(state, { kind: 'note', holds, code: chosen.code, draft: '' });
}

function pressInNote(state: InboxState, dialog: Dialog & { kind: 'note' }, press: Press): Pressed {
  const { holds, code, draft } = dialog;
  if (press.name === 'escape') return close(state);
  if (press.name !== 'enter') return { state: { ...state, dialog: { ...dialog, draft: typed(draft, press) } } };
  const note = draft.trim();
  return decide(state, holds, { decision: 'reject', rejectCode: code, ...(note === '' ? {} : { note }) });
}

function pressInUnreadable(state: InboxState, { hold, file }: Dialog & { kind: 'unreadable' }, press: Press): Pressed {
  if (press.name === 'e') return { ...close(state), effect: { kind: 'edit', hold, file } };
  return press.name === 'n' || press.name === 'escape' ? close(state) : { state };
}

function pressInChanged(
  state: InboxState,
  dialog: Dialog & { kind: 'changed' },
  press: Press,
  measures: Measures,
): Pressed {
  const { hold, decision } = dialog;
  const opened = state.opened === null ? null : hold;
  if (press.name === 'y') {
    return { ...close({ ...state, opened }), effect: { kind: 'decide', holds: [hold], decision, from: dialog } };
  }
  if (press.name === 'n' || press.name === 'escape') return close({ ...state, opened });
  return { state: scrolled(state, press, measures) };
}

function pressInDraft(
  state: InboxState,
  { draft, decision }: Dialog & { kind: 'draft' },
  press: Press,
  measures: Measures,
): Pressed {
  if (press.name === 'y') return { ...close(state), effect: { kind: 'decide-draft', draft, decision } };
  if (press.name === 'n' || press.name === 'escape') return close(state);
  return { state: scrolled(state, press, measures) };
}

/** Only approvals can trust recipients. */
function decide(state: InboxState, holds: readonly Hold[], given: Decision): Pressed {
  const isRemembered = given.decision === 'approve' && state.isRemembering;
  const decision = { ...given, ...(isRemembered ? { remember: true as const } : {}) };
  return { ...close(state), effect: { kind: 'decide', holds, decision, from: state.dialog } };
}

function typed(draft: string, { name, text }: Press): string {
  if (name === 'backspace') return [...draft].slice(0, -1).join('');
  return draft + text.replace(/[\r\n\t]+/g, ' ');
}

function notify(state: InboxState, text: string): Pressed {
  return { state: { ...state, notice: { text, tone: 'faint' } } };
}

function ask(state: InboxState, dialog: Dialog): Pressed {
  return { state: { ...state, dialog, scroll: 0 } };
}

function close(state: InboxState): Pressed {
  return { state: { ...state, dialog: null, scroll: 0 } };
}
