import { CliFailure } from '../../failure.ts';
import { problemText } from '../../output/problem-text.ts';
import { singleLine } from '../../output/untrusted-text.ts';
import { differencesBetween } from '../differences.ts';
import { readEditFile, writeEditFile } from '../edit-file.ts';
import { contentOf, editsBetween } from '../held-content.ts';
import type { Decision, HeldSends } from '../held-sends.ts';
import { type Hold, progressOf, recipientsOf } from '../hold.ts';
import { nameOf, type TemplateDraft } from '../template-draft.ts';
import { type DraftDecision, type DraftList, successorOf, type TemplateDrafts } from '../template-drafts.ts';
import { type Edited, EMPTY_INBOX, type InboxState, type Notice, refusalNotice, withList } from './inbox-state.ts';
import { type Effect, type Measures, type Press, pressKey } from './press-key.ts';

/** The inbox without its screen: the screen draws the state, and keys change it. */
export interface Inbox {
  getState(): InboxState;
  /** Calls `listener` after each change; the returned function unsubscribes it. */
  subscribe(listener: () => void): () => void;
  /** Resolves when all effects of the key are done. */
  press(press: Press): Promise<void>;
  /** Reloads the pending items. Rejects only the first time, with a CliFailure; later errors are shown. */
  refresh(): Promise<void>;
  /** Sets the size of the screen, by which keys scroll. */
  measure(measures: Measures): void;
}

export interface InboxDeps {
  readonly heldSends: HeldSends;
  readonly templateDrafts: TemplateDrafts;
  /** Why the caller cannot decide, shown at the start; null if it can. */
  readonly cannotDecide?: string | null;
  /** Opens a file in the user's editor. Rejects with a CliFailure. */
  readonly edit: (file: string) => Promise<string>;
  readonly quit: () => void;
}

export function createInbox({ heldSends, templateDrafts, cannotDecide = null, edit, quit }: InboxDeps): Inbox {
  let state: InboxState = { ...EMPTY_INBOX, cannotDecide, notice: refusalNotice(cannotDecide) };
  let measures: Measures = { pageRows: 10, scrollMax: 0 };
  let isLoaded = false;
  let draftList: DraftList = { drafts: [], total: 0, isComplete: false };
  const listeners = new Set<() => void>();
  const set = (next: InboxState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const notify = (text: string, tone: Notice['tone']) => set({ ...state, notice: { text: singleLine(text), tone } });

  async function refresh(): Promise<void> {
    try {
      const [{ holds, total }, draftsError] = await Promise.all([heldSends.listPending(), refreshDrafts()]);
      isLoaded = true;
      const { drafts } = draftList;
      set({ ...withList(state, { holds, drafts, total: total + draftList.total }), refreshError: draftsError });
      checkOpenedDraft(draftsError === null);
      await checkOpenedHold(holds);
    } catch (error) {
      if (!isLoaded || !(error instanceof CliFailure)) throw error;
      set({ ...state, refreshError: singleLine(error.problem.detail) });
    }
  }

  /** Held sends can be decided without the drafts, so an error here is only shown. Returns its text, or null. */
  async function refreshDrafts(): Promise<string | null> {
    try {
      draftList = await templateDrafts.list();
      return null;
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      return singleLine(`template drafts: ${error.problem.detail}`);
    }
  }

  /** A draft that its author replaced stays on the screen until the user decides: the content must not change while it is read. */
  function checkOpenedDraft(isFresh: boolean): void {
    const { opened } = state;
    const { drafts, isComplete } = draftList;
    if (opened?.kind !== 'draft' || state.busy !== null || !isFresh || !isComplete) return;
    if (state.dialog?.kind === 'draft-gone') return;
    if (drafts.some(({ id }) => id === opened.id) || successorOf(opened, drafts) !== undefined) return;
    set({ ...state, dialog: { kind: 'draft-gone', draft: opened }, scroll: 0 });
  }

  /** If the opened hold is no longer pending, another user decided it. */
  async function checkOpenedHold(holds: readonly Hold[]): Promise<void> {
    const { opened } = state;
    if (opened?.kind !== 'send' || state.busy !== null || state.dialog?.kind === 'ended') return;
    if (holds.some(({ id }) => id === opened.id)) return;
    const hold = await heldSends.read(opened.id);
    if (hold.status === 'pending' || state.opened?.id !== hold.id || state.busy !== null) return;
    set({ ...state, opened: hold, dialog: { kind: 'ended', hold }, scroll: 0 });
  }

  async function run(effect: Effect): Promise<void> {
    if (effect.kind === 'quit') {
      quit();
      return;
    }
    if (effect.kind === 'check') {
      await showWarnings();
      return;
    }
    try {
      if (effect.kind === 'edit') await change(effect.hold, effect.file);
      else if (effect.kind === 'decide') await decide(effect.holds, effect.decision);
      else await decideDraft(effect.draft, effect.decision);
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      const { detail, fix } = error.problem;
      if (effect.kind === 'decide') set({ ...state, dialog: effect.from });
      notify(`${problemText(detail)} ${problemText(fix)}`, 'bad');
    } finally {
      set({ ...state, busy: null });
    }
  }

  /** The question is shown immediately; warnings appear when they are known. */
  async function showWarnings(): Promise<void> {
    const asked = state.dialog;
    if (asked?.kind !== 'approve') return;
    const found = await Promise.all(
      asked.holds.slice(0, CHECKED_MAX).map(async (hold) => {
        const recipients = asked.edited === null ? null : editedRecipients(hold, asked.edited);
        const reasons = await heldSends.refusalReasons({ id: hold.id, recipients });
        return reasons.map((reason) => (asked.holds.length === 1 ? reason : `${hold.subject}: ${reason}`));
      }),
    );
    if (state.dialog === asked) set({ ...state, dialog: { ...asked, warnings: found.flat() } });
  }

  async function change(hold: Hold, given: string | null): Promise<void> {
    set({ ...state, busy: 'Waiting for the editor …' });
    const written = given ?? writeEditFile(hold);
    const file = await edit(written);
    const verdict = readEditFile(file, hold);
    if (!verdict.ok) {
      set({ ...state, busy: null, dialog: { kind: 'unreadable', hold, file, message: verdict.message }, scroll: 0 });
      return;
    }
    const before = contentOf(hold);
    const edits = editsBetween(before, verdict.content);
    if (Object.keys(edits).length === 0) {
      notify('You changed nothing, so nothing was decided.', 'faint');
      return;
    }
    const diff = differencesBetween(before, verdict.content);
    set({ ...state, busy: null, dialog: { kind: 'approve', holds: [hold], edited: { edits, diff, file } }, scroll: 0 });
    await showWarnings();
  }

  async function decide(holds: readonly Hold[], decision: Decision): Promise<void> {
    const word = decision.decision === 'approve' ? 'Approving' : 'Rejecting';
    const errors: string[] = [];
    let decided: Hold | null = null;
    let waiting = 0;
    // One at a time, each bound to the content that was shown, so that holds changed in the meantime are not decided.
    for (const [index, hold] of holds.entries()) {
      set({ ...state, busy: holds.length === 1 ? `${word} …` : `${word} ${index + 1} of ${holds.length} …` });
      const { error, isWaiting } = await decideOne(hold, decision, holds.length === 1);
      if (error === null) decided = hold;
      else errors.push(error);
      if (isWaiting) waiting += 1;
    }
    if (holds.length > 1) notifyMany({ count: holds.length - errors.length - waiting, waiting }, decision, errors);
    if (decided !== null) set({ ...state, isRemembering: false });
    await refresh();
  }

  async function decideDraft(draft: TemplateDraft, decision: DraftDecision): Promise<void> {
    set({ ...state, busy: decision === 'publish' ? 'Publishing …' : 'Discarding …' });
    const result = await templateDrafts.decide(draft, decision);
    if (result.kind === 'changed') {
      set({ ...state, opened: result.draft, at: result.draft.id, scroll: 0 });
      notify('It changed while you read it. Nothing was decided. Read it again.', 'bad');
    } else if (result.kind === 'gone') {
      set({ ...state, dialog: { kind: 'draft-gone', draft }, scroll: 0 });
    } else {
      set({ ...state, opened: null, scroll: 0 });
      notify(`${decision === 'publish' ? 'Published' : 'Discarded'}: ${nameOf(draft)}`, 'good');
    }
    await refresh();
  }

  /** `error` is null if it was decided, or recorded before others who must approve it; otherwise the reason why not. */
  async function decideOne(
    hold: Hold,
    given: Decision,
    isAlone: boolean,
  ): Promise<{ readonly error: string | null; readonly isWaiting: boolean }> {
    const failed = (error: string) => ({ error, isWaiting: false });
    const decision = hold.contentHash === null ? given : { ...given, contentHash: hold.contentHash };
    try {
      const result = await heldSends.decide(hold.id, decision);
      if (result.kind === 'decided') {
        if (isAlone) notifyOne(result.hold, decision);
        set({ ...state, opened: null, selected: without(state.selected, hold.id), scroll: 0 });
        if (result.hold.outcome === 'failed') return failed(`not sent: ${result.hold.problem ?? 'refused'}`);
        return { error: null, isWaiting: result.hold.status === 'pending' };
      }
      if (isAlone && result.kind === 'changed') {
        const diff = differencesBetween(contentOf(hold), contentOf(result.hold));
        set({ ...state, dialog: { kind: 'changed', hold: result.hold, diff, decision: given }, scroll: 0 });
      } else if (isAlone) {
        set({ ...state, dialog: { kind: 'ended', hold: result.hold }, scroll: 0 });
      }
      return failed(result.kind === 'changed' ? 'it changed in the meantime' : `it was already ${result.hold.status}`);
    } catch (error) {
      // With several holds, the others continue; a single one reports its full error.
      if (isAlone || !(error instanceof CliFailure)) throw error;
      return failed(error.problem.detail);
    }
  }

  function notifyOne(hold: Hold, { decision, remember }: Decision): void {
    const trusted = remember && hold.needed < 2 ? ', and its recipients are trusted' : '';
    if (decision === 'reject') notify(`Rejected: ${hold.subject}`, 'good');
    else if (hold.outcome === 'failed') notify(`Approved, but not sent: ${hold.problem ?? 'refused'}`, 'bad');
    else if (hold.status === 'pending') notify(`You approved it; ${progressOf(hold)}: ${hold.subject}`, 'good');
    else notify(`Approved${trusted}: ${hold.subject}`, 'good');
  }

  function notifyMany(
    { count, waiting }: { readonly count: number; readonly waiting: number },
    { decision }: Decision,
    errors: readonly string[],
  ): void {
    const recorded = waiting === 0 ? '' : `, ${waiting} approved by you and waiting for others`;
    const done = `${count} ${decision === 'approve' ? 'approved' : 'rejected'}${recorded}`;
    if (errors.length === 0) notify(`${done}.`, 'good');
    else notify(`${done}, ${errors.length} not: ${[...new Set(errors)].join('; ')}`, 'bad');
  }

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async press(press) {
      const { state: next, effect } = pressKey(state, press, measures);
      set(next);
      if (effect !== undefined) await run(effect);
    },
    refresh,
    measure: (given) => {
      measures = given;
    },
  };
}

function without(selected: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...selected].filter((other) => other !== id));
}

/** No one who reads the messages approves more than this at once. */
const CHECKED_MAX = 20;

/** Null if the recipients stay as they are. */
function editedRecipients({ to, cc, bcc }: Hold, { edits }: Edited): readonly string[] | null {
  if (edits.to === undefined && edits.cc === undefined && edits.bcc === undefined) return null;
  return recipientsOf({ to: edits.to ?? to, cc: edits.cc ?? cc, bcc: edits.bcc ?? bcc });
}
