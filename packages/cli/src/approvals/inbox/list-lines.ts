import { paintFor } from '../../output/paint.ts';
import { renderTable } from '../../output/table.ts';
import { formatAge } from '../../output/time.ts';
import { singleLine, withoutInvisibles } from '../../output/untrusted-text.ts';
import type { DangerReader } from '../danger.ts';
import { type Hold, recipientsOf } from '../hold.ts';
import type { ShownLine } from '../shown-line.ts';
import { authorOf, nameOf, type TemplateDraft } from '../template-draft.ts';
import { formatTimeLeft, formatTimeLeftShort } from '../time-left.ts';
import { partsOf } from './draft-lines.ts';
import { currentItem, type InboxState, visibleItems, type Waiting } from './inbox-state.ts';

const PLAIN = paintFor(false);

/** The rows around the cursor, below the column titles. */
export function listLines(
  state: InboxState,
  { columns, rows }: { readonly columns: number; readonly rows: number },
  now: Date,
  isDangerous: DangerReader,
): readonly ShownLine[] {
  const visible = visibleItems(state);
  if (visible.length === 0) return [{ text: '' }, { text: emptyText(state), tone: 'faint' }];
  const current = currentItem(state);
  const place = Math.max(0, current === null ? 0 : visible.indexOf(current));
  const count = Math.max(1, rows - 1);
  const from = Math.max(0, Math.min(place - Math.floor(count / 2), visible.length - count));
  const shown = visible.slice(from, from + count);
  const mark = (item: Waiting) => `${item === current ? '>' : ' '} ${markOf(item, state)}`;
  const rowsOf = shown.map((item) => rowOf(item, now));
  const dangers = shown.map((item) => (item.kind === 'send' && isDangerous(item) ? DANGER : ''));
  const cells = (read: (row: Row) => string) => rowsOf.map((row) => withoutInvisibles(singleLine(read(row))));
  const table = renderTable(
    [
      { title: '', cells: shown.map(mark) },
      { title: 'expires', cells: cells(({ expires }) => expires) },
      ...(dangers.includes(DANGER) ? [{ title: '', cells: dangers }] : []),
      { title: 'subject', cells: cells(({ subject }) => subject), minWidth: 18 },
      { title: 'to', cells: cells(({ to }) => to), minWidth: 14 },
      { title: 'sent by', cells: cells(({ by }) => by), minWidth: 8, dropOrder: 2 },
      { title: 'held by', cells: cells(({ why }) => why), minWidth: 8, dropOrder: 1 },
    ],
    columns,
    PLAIN,
  );
  const [head = '', ...lines] = table.trimEnd().split('\n');
  // Very low windows have no room for the titles.
  return [
    ...(rows < 2 ? [] : [{ text: head, tone: 'faint' } as const]),
    ...shown.map((item, index): ShownLine => {
      const isCurrent = item === current;
      const danger = dangers[index] ?? '';
      const line = { text: lines[index] ?? '', spoken: spokenRow(item, state, { isCurrent, danger }, now) };
      if (isCurrent) return { ...line, tone: 'current' };
      return danger === '' ? line : { ...line, tone: 'bad' };
    }),
  ];
}

/** The badge of a hold that the preview warns of. */
const DANGER = 'danger';

interface Row {
  readonly expires: string;
  readonly subject: string;
  readonly to: string;
  readonly by: string;
  readonly why: string;
}

function rowOf(item: Waiting, now: Date): Row {
  if (item.kind === 'draft') return draftRow(item, now);
  const { expiresAt, subject, agentName, keyName, reasons, needed, given } = item;
  const expires = formatTimeLeftShort(expiresAt, now);
  return {
    expires,
    subject,
    to: addressedTo(item),
    by: agentName || keyName,
    why: [...(needed > 1 ? [`${given} of ${needed} approved`] : []), ...reasons].join(', '),
  };
}

/** A draft does not expire and is sent to no one: these columns say what it is instead. */
function draftRow(draft: TemplateDraft, now: Date): Row {
  const why = formatAge(draft.createdAt, now);
  return { expires: 'draft', subject: nameOf(draft), to: `edits ${partsOf(draft)}`, by: authorOf(draft), why };
}

/** Drafts cannot be selected, so they have a mark instead of a checkbox. */
function markOf(item: Waiting, { selected }: InboxState): string {
  if (item.kind === 'draft') return '+/-';
  return selected.has(item.id) ? '[x]' : '[ ]';
}

function emptyText({ filter, holds, drafts }: InboxState): string {
  if (filter !== '' && holds.length + drafts.length > 0) return 'Nothing matches the filter. Press esc to clear it.';
  return 'Nothing is waiting for a decision. New held sends appear here.';
}

/** The first recipient and the number of others, including bcc. */
function addressedTo(hold: Hold): string {
  const all = recipientsOf(hold);
  const [first = ''] = all;
  return all.length > 1 ? `${first} +${all.length - 1}` : first;
}

function spokenRow(
  item: Waiting,
  { selected }: InboxState,
  { isCurrent, danger }: { readonly isCurrent: boolean; readonly danger: string },
  now: Date,
): string {
  const state = [selected.has(item.id) ? 'selected' : '', danger].filter((mark) => mark !== '');
  const marks = [isCurrent ? 'here: ' : '', ...state.map((mark) => `${mark}, `)].join('');
  if (item.kind === 'draft') {
    const words = `template draft ${nameOf(item)}, changes ${partsOf(item)}, by ${authorOf(item)}`;
    return singleLine(`${marks}${words}, written ${formatAge(item.createdAt, now)}`);
  }
  const hold = item;
  const words = `${hold.subject}, to ${addressedTo(hold)}, by ${hold.agentName || hold.keyName}, held by ${hold.reasons.join(', ')}`;
  return singleLine(`${marks}${words}, expires in ${formatTimeLeft(hold.expiresAt, now)}`);
}
