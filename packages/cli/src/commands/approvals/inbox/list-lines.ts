import { paintFor } from '../../../output/paint.ts';
import { renderTable } from '../../../output/table.ts';
import { singleLine, withoutInvisibles } from '../../../output/untrusted-text.ts';
import { type Hold, recipientsOf } from '../hold.ts';
import type { ShownLine } from '../shown-line.ts';
import { formatTimeLeft, formatTimeLeftShort } from '../time-left.ts';
import { currentHold, type InboxState, visibleHolds } from './inbox-state.ts';

const PLAIN = paintFor(false);

/** The rows of the list around the cursor, below their titles. */
export function listLines(
  state: InboxState,
  { columns, rows }: { readonly columns: number; readonly rows: number },
  now: Date,
): readonly ShownLine[] {
  const visible = visibleHolds(state);
  if (visible.length === 0) return [{ text: '' }, { text: emptyWords(state), tone: 'faint' }];
  const current = currentHold(state);
  const place = Math.max(0, current === null ? 0 : visible.indexOf(current));
  const count = Math.max(1, rows - 1);
  const from = Math.max(0, Math.min(place - Math.floor(count / 2), visible.length - count));
  const shown = visible.slice(from, from + count);
  const mark = (hold: Hold) => `${hold === current ? '>' : ' '} ${state.selected.has(hold.id) ? '[x]' : '[ ]'}`;
  const cells = (read: (hold: Hold) => string) => shown.map((hold) => withoutInvisibles(singleLine(read(hold))));
  const table = renderTable(
    [
      { title: '', cells: shown.map(mark) },
      { title: 'expires', cells: cells((hold) => formatTimeLeftShort(hold.expiresAt, now)) },
      { title: 'subject', cells: cells(({ subject }) => subject), minWidth: 18 },
      { title: 'to', cells: cells(addressedTo), minWidth: 14 },
      { title: 'sent by', cells: cells(({ agentName, keyName }) => agentName || keyName), minWidth: 8, dropOrder: 2 },
      { title: 'held by', cells: cells(({ reasons }) => reasons.join(', ')), minWidth: 8, dropOrder: 1 },
    ],
    columns,
    PLAIN,
  );
  const [head = '', ...lines] = table.trimEnd().split('\n');
  // In the lowest windows the titles make room for what they stand over.
  return [
    ...(rows < 2 ? [] : [{ text: head, tone: 'faint' } as const]),
    ...shown.map((hold, index): ShownLine => {
      const isCurrent = hold === current;
      const line = { text: lines[index] ?? '', spoken: spokenRow(hold, state, isCurrent, now) };
      return isCurrent ? { ...line, tone: 'current' } : line;
    }),
  ];
}

function emptyWords({ filter, holds }: InboxState): string {
  if (filter !== '' && holds.length > 0) return 'No held send matches the filter; esc takes it away.';
  return 'Nothing waits for a decision. What is held from now on appears here.';
}

/** The first, and how many more; blind ones count. */
function addressedTo(hold: Hold): string {
  const all = recipientsOf(hold);
  const [first = ''] = all;
  return all.length > 1 ? `${first} +${all.length - 1}` : first;
}

function spokenRow(hold: Hold, { selected }: InboxState, isCurrent: boolean, now: Date): string {
  const marks = [isCurrent ? 'here: ' : '', selected.has(hold.id) ? 'selected, ' : ''].join('');
  const words = `${hold.subject}, to ${addressedTo(hold)}, by ${hold.agentName || hold.keyName}, held by ${hold.reasons.join(', ')}`;
  return singleLine(`${marks}${words}, expires in ${formatTimeLeft(hold.expiresAt, now)}`);
}
