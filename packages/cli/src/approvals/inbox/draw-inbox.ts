import { foldText } from '../../output/fold-text.ts';
import { cutToWidth } from '../../output/text-width.ts';
import { singleLine, withoutInvisibles } from '../../output/untrusted-text.ts';
import { type DangerReader, hasDanger } from '../danger.ts';
import { differencesBetween } from '../differences.ts';
import { contentOf, withEdits } from '../held-content.ts';
import { editNoticeOf, type Hold, recipientsOf } from '../hold.ts';
import { contentLines, endLines, factLines } from '../preview-lines.ts';
import type { ShownLine } from '../shown-line.ts';
import { nameOf } from '../template-draft.ts';
import { draftChangeLines, draftFactLines, draftQuestion } from './draft-lines.ts';
import { HELP_LINES } from './help-lines.ts';
import {
  type Dialog,
  type InboxState,
  REJECT_CHOICES,
  targetDraftOf,
  visibleItems,
  type Waiting,
} from './inbox-state.ts';
import { listLines } from './list-lines.ts';
import type { Measures } from './press-key.ts';
import { diffLines, plain } from './text-lines.ts';

export interface Screen extends Measures {
  /** One line per row of the screen. */
  readonly lines: readonly ShownLine[];
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The slow part of a preview of a long message or template. The caller can cache it for the next screen. */
export type ContentReader = (item: Waiting, columns: number) => readonly ShownLine[];

/** One row for the title and one for the keys. */
const FRAME_ROWS = 2;
/** The maximum rows of a notice and its fix. */
const NOTICE_ROWS_MAX = 4;

export function readContentOf(item: Waiting, columns: number): readonly ShownLine[] {
  return item.kind === 'draft' ? draftChangeLines(item, columns) : contentLines(item, columns);
}

/** The lines of the screen. Every line fits the width; content that is too high scrolls. */
export function drawInbox(
  state: InboxState,
  { columns, rows }: ScreenSize,
  now: Date,
  readContent: ContentReader = readContentOf,
  isDangerous: DangerReader = hasDanger,
): Screen {
  const notices = noticeLines(state, columns).slice(0, Math.max(1, Math.min(NOTICE_ROWS_MAX, rows - FRAME_ROWS - 1)));
  const pageRows = Math.max(1, rows - FRAME_ROWS - notices.length);
  const isList = state.dialog === null || state.dialog.kind === 'filter' ? state.opened === null : false;
  const body = isList
    ? listLines(state, { columns, rows: pageRows }, now, isDangerous)
    : bodyLines(state, columns, now, readContent);
  const scrollMax = isList ? 0 : Math.max(0, body.length - pageRows);
  const from = Math.min(state.scroll, scrollMax);
  const shown = body.slice(from, from + pageRows);
  const filler = Array.from({ length: pageRows - shown.length }, (): ShownLine => ({ text: '' }));
  const lines = [
    titleLine(state, scrollMax === 0 ? null : { from, scrollMax }),
    ...shown,
    ...filler,
    ...notices,
    keysLine(state, columns),
  ];
  return { lines: lines.map((line) => ({ ...line, text: cutToWidth(line.text, columns) })), pageRows, scrollMax };
}

function titleLine(state: InboxState, scroll: { readonly from: number; readonly scrollMax: number } | null): ShownLine {
  const { holds, drafts, total, selected, filter, opened, dialog } = state;
  const listed = holds.length + drafts.length;
  const parts = [
    `Approvals: ${total === 0 ? 'none waiting' : `${total} waiting`}`,
    // A narrow preview needs this room for the scroll position.
    drafts.length === 0 || opened !== null || dialog?.kind === 'draft'
      ? ''
      : drafts.length === 1
        ? '1 is a draft'
        : `${drafts.length} are drafts`,
    total > listed ? `the first ${listed} are shown` : '',
    selected.size > 0 ? `${selected.size} selected` : '',
    filter === '' ? '' : `filter "${singleLine(filter)}": ${visibleItems(state).length}`,
    scroll === null ? '' : `${Math.round((scroll.from / scroll.scrollMax) * 100)} % read`,
  ];
  return { text: parts.filter((part) => part !== '').join('  |  '), tone: 'title' };
}

/** A long error wraps, because its end says what to do. */
function noticeLines(state: InboxState, columns: number): readonly ShownLine[] {
  const line = noticeLine(state);
  return line.tone !== 'bad' ? [line] : foldText(line.text, columns).map((text) => ({ ...line, text }));
}

function noticeLine({ busy, notice, refreshError, isRemembering, dialog }: InboxState): ShownLine {
  if (busy !== null) return { text: busy, tone: 'faint' };
  if (notice !== null) return notice;
  if (dialog?.kind === 'filter') return { text: `Filter: ${singleLine(dialog.draft)}_` };
  if (dialog?.kind === 'note') return { text: `Note: ${singleLine(dialog.draft)}_` };
  if (refreshError !== null) return { text: `The list may be old: ${refreshError}`, tone: 'bad' };
  if (isRemembering) return { text: 'Remember is on: approving also trusts the recipients for this key.' };
  return { text: '' };
}

/** The available keys. If they do not fit, the last two stay, and help lists the others. */
function keysLine(state: InboxState, columns: number): ShownLine {
  const keys = state.busy === null ? [...keysOf(state)] : [];
  while (keys.length > 2 && keys.join('  ').length > columns) keys.splice(-3, 1);
  return { text: keys.join('  '), tone: 'faint' };
}

function keysOf(state: InboxState): readonly string[] {
  const { dialog, opened } = state;
  switch (dialog?.kind) {
    case 'help':
    case 'ended':
    case 'draft-gone':
      return ['any key: back'];
    case 'draft':
      return [`y: ${dialog.decision}`, 'n: back', 'j/k: scroll'];
    case 'filter':
      return ['enter: keep it', 'esc: no filter'];
    case 'approve':
      return [
        dialog.edited === null ? 'y: approve' : 'y: approve with the changes',
        'n: back',
        ...(dialog.holds.length > 1 ? [] : ['e: edit']),
        ...['R: remember', 'j/k: scroll'],
      ];
    case 'code':
      return ['1-5 or enter: choose', 'esc: back'];
    case 'note':
      return ['enter: reject', 'esc: back, decide nothing'];
    case 'unreadable':
      return ['e: edit again', 'n: discard the changes'];
    case 'changed':
      return ['y: decide anyway', 'n: back', 'j/k: scroll'];
    default:
      return opened === null
        ? ['enter: open', ...decidingKeys(state), '/: filter', '?: help', 'q: quit']
        : [...decidingKeys(state), 'j/k: scroll', 'esc: back', '?: help', 'q: quit'];
  }
}

function decidingKeys(state: InboxState): readonly string[] {
  const { opened, cannotDecide } = state;
  if (targetDraftOf(state) !== null) return [...(cannotDecide === null ? ['a: publish'] : []), 'r: discard'];
  if (cannotDecide !== null) return [];
  return ['a: approve', 'r: reject', 'e: edit', opened === null ? 'space: select' : 'R: remember'];
}

function bodyLines(state: InboxState, columns: number, now: Date, readContent: ContentReader): readonly ShownLine[] {
  const { dialog, opened } = state;
  const preview = (item: Waiting) => [
    ...(item.kind === 'draft' ? draftFactLines(item, columns, now) : factLines(item, columns, now)),
    ...readContent(item, columns),
  ];
  if (dialog === null || dialog.kind === 'filter') return opened === null ? [] : preview(opened);
  // The list asks this question too, so the question includes the difference.
  if (dialog.kind === 'draft')
    return [...draftQuestion(dialog.draft, dialog.decision, columns), ...preview(dialog.draft)];
  return dialog.kind === 'changed'
    ? [...changedLines(dialog, columns), ...preview(dialog.hold)]
    : dialogLines(dialog, state, columns, now);
}

function changedLines({ diff, hold, decision }: Dialog & { kind: 'changed' }, columns: number): readonly ShownLine[] {
  // The approver's changes are applied to the present content, so the result must be shown too.
  const content = contentOf(hold);
  const own = decision.edits === undefined ? [] : differencesBetween(content, withEdits(content, decision.edits));
  return [
    ...plain('Another user changed it while you read it. Nothing was decided yet.', columns, 'bad'),
    { text: '' },
    ...(diff.length === 0 ? plain('Its files or headers changed.', columns) : diffLines(diff, columns)),
    { text: '' },
    ...(own.length === 0
      ? []
      : [
          ...plain('Your changes, which would be applied to it:', columns, 'title'),
          ...diffLines(own, columns),
          { text: '' },
        ]),
  ];
}

function dialogLines(
  dialog: Exclude<Dialog, { kind: 'filter' | 'changed' | 'draft' }>,
  state: InboxState,
  columns: number,
  now: Date,
): readonly ShownLine[] {
  switch (dialog.kind) {
    case 'help':
      return HELP_LINES.flatMap((text) => plain(text, columns));
    case 'approve':
      return approveLines(dialog, state.isRemembering, columns, now);
    case 'code':
      return [
        ...rejectHead(dialog.holds, columns),
        ...REJECT_CHOICES.map(({ code, words }, index) => {
          const isCurrent = index === dialog.choice;
          const text = `${isCurrent ? '>' : ' '} ${index + 1} ${code.padEnd(16)} ${words}`;
          return { text, ...(isCurrent ? { tone: 'current' as const } : {}) };
        }),
      ];
    case 'note':
      return [
        ...rejectHead(dialog.holds, columns),
        { text: `Code: ${dialog.code}` },
        ...plain('Optional: a note for the sender. An agent uses it to correct itself.', columns),
        ...plain(dialog.draft === '' ? '' : `"${singleLine(dialog.draft)}"`, columns),
      ];
    case 'unreadable':
      return [...plain('The edited file is not valid.', columns, 'bad'), ...plain(singleLine(dialog.message), columns)];
    case 'ended':
      return [
        ...plain('Another user decided it, or it expired. There is nothing left to do.', columns, 'title'),
        { text: '' },
        ...plain(`Subject: ${singleLine(dialog.hold.subject)}`, columns),
        ...endLines(dialog.hold, columns),
      ];
    case 'draft-gone':
      return [
        ...plain('There is nothing left to do.', columns, 'title'),
        { text: '' },
        ...plain(
          `${withoutInvisibles(singleLine(nameOf(dialog.draft)))} was published or discarded in the meantime, by an approver or its author.`,
          columns,
        ),
      ];
  }
}

function approveLines(
  { holds, edited, warnings = [] }: Dialog & { kind: 'approve' },
  isRemembering: boolean,
  columns: number,
  now: Date,
): readonly ShownLine[] {
  const [first] = holds;
  const warned =
    warnings.length === 0
      ? []
      : [...warnings.slice(0, WARNINGS_SHOWN), NOT_SENT].flatMap((text) =>
          plain(`! ${withoutInvisibles(singleLine(text))}`, columns, 'bad'),
        );
  const remembering = [
    ...warned,
    ...(isRemembering
      ? plain('Approving also trusts the recipients for this key (press R to turn that off).', columns, 'bad')
      : []),
  ];
  if (holds.length > 1) {
    const recipientCount = new Set(holds.flatMap(recipientsOf)).size;
    return [
      ...plain(`Approve these ${holds.length}? They are sent to ${recipientCount} addresses.`, columns, 'title'),
      ...remembering,
      { text: '' },
      ...holds.flatMap((hold) => [
        ...plain(withoutInvisibles(`- ${singleLine(hold.subject)}`), columns),
        ...plain(singleLine(recipientsOf(hold).join(', ')), columns - 4, 'faint', 4),
      ]),
    ];
  }
  if (first === undefined) return [];
  if (edited === null) {
    return [
      ...plain('Approve this message?', columns, 'title'),
      ...remembering,
      { text: '' },
      ...factLines(first, columns, now),
    ];
  }
  return [
    ...plain('Approve it with these changes?', columns, 'title'),
    ...(first.needed > 1 ? plain(editNoticeOf(first), columns) : []),
    ...remembering,
    { text: '' },
    ...diffLines(edited.diff, columns),
  ];
}

const WARNINGS_SHOWN = 5;
const NOT_SENT = 'Approved now, it would not be sent, and a failed approval is final.';

function rejectHead(holds: readonly Hold[], columns: number): readonly ShownLine[] {
  const [first] = holds;
  const what = holds.length === 1 ? `"${singleLine(first?.subject ?? '')}"` : `these ${holds.length}`;
  return [...plain(`Reject ${what}. Why?`, columns, 'title'), { text: '' }];
}
