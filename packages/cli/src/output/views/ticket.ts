import type { Ticket, TicketMessage, TicketPage } from '@postrider/sdk';
import { idColumn } from '../id-column.ts';
import { isRecord, type JsonRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderBody, renderSheet } from '../sheet.ts';
import { renderTable } from '../table.ts';
import { formatMinute, formatTime } from '../time.ts';
import { severalLines, singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { remarkOnPage } from './page-remark.ts';

/** The support tickets of the account. */
export function showTicketList(response: Shown<TicketPage>, output: Output): void {
  const rows = recordsOf<Ticket>(response['tickets']);
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const threads = rows.map((row) => recordsOf<TicketMessage>(row['messages']));
  const columns = [
    { title: 'number', cells: cells('number') },
    { title: 'status', cells: cells('status') },
    { title: 'subject', cells: cells('subject'), minWidth: 12 },
    { title: 'last from', cells: threads.map((thread) => singleLine(textOf(thread.at(-1)?.['author']))), dropOrder: 2 },
    { title: 'messages', cells: threads.map(({ length }) => String(length)), dropOrder: 3 },
    { title: 'opened (utc)', cells: cells('createdAt').map(formatMinute), dropOrder: 1 },
    { ...idColumn(cells('id')), dropOrder: 4 },
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  remarkOnPage(response, rows.length, 'tickets', output);
}

/** One ticket: its details, its thread and the captured context. */
export function showTicket(ticket: Shown<Ticket>, output: Output): void {
  const text = (name: keyof typeof ticket) => singleLine(textOf(ticket[name]));
  const context = isRecord(ticket['context']) ? ticket['context'] : {};
  output.writeText(
    [
      renderSheet(
        [
          ['ticket', text('number')],
          ['status', text('status')],
          ['subject', text('subject')],
          ['opened', formatTime(text('createdAt'))],
          ['id', text('id')],
        ],
        output,
      ),
      ...recordsOf<TicketMessage>(ticket['messages']).map((message) =>
        renderBody(
          `${singleLine(textOf(message['author']))}, ${formatTime(singleLine(textOf(message['createdAt'])))}`,
          severalLines(textOf(message['body'])),
          output,
        ),
      ),
      renderBody('Context', contextLines(context), output),
    ].join(''),
  );
  if (textOf(ticket['status']) === 'pending')
    output.remark(`Support is waiting for your reply: postrider tickets reply ${text('number')} --body "…"`);
}

function contextLines(context: JsonRecord): string {
  if (Object.keys(context).length === 0) return '';
  return severalLines(JSON.stringify(context, null, 2));
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [
  defineView(['TicketPage'], showTicketList),
  defineView(['Ticket'], showTicket),
];
