import type { Webhook, WebhookDelivery, WebhookDeliveryPage, WebhookPage, WebhookWithSecret } from '@postrider/sdk';
import { idColumn } from '../id-column.ts';
import { recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderSheet, type SheetLine } from '../sheet.ts';
import { renderTable } from '../table.ts';
import { formatMinute, formatTime } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { remarkOnPage } from './page-remark.ts';

/** An endpoint, with its secret if the response contains it. */
export function showWebhook(webhook: Shown<Webhook | WebhookWithSecret>, output: Output): void {
  const text = (name: keyof typeof webhook) => singleLine(textOf(webhook[name]));
  const lines: readonly SheetLine[] = [
    ['secret', text('secret')],
    ['url', text('url')],
    ['id', text('id')],
    ['state', stateOf(webhook)],
    ['events', eventsText(webhook)],
    ['description', text('description')],
    ['created', formatTime(text('createdAt'))],
  ];
  output.writeText(renderSheet(lines, output));
  if (text('secret') !== '') output.remark('The secret is shown only once. Save it now.');
}

/** The endpoints of an account. */
export function showWebhookList(response: Shown<WebhookPage>, output: Output): void {
  const rows = recordsOf<Webhook>(response['webhooks']);
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'url', cells: cells('url'), minWidth: 40 },
    { title: 'state', cells: rows.map(stateOf), shortCells: rows.map(shortStateOf), paint: paintState(output) },
    { title: 'events', cells: rows.map(eventsText), minWidth: 12, dropOrder: 2 },
    { title: 'created (utc)', cells: cells('createdAt').map(formatMinute), dropOrder: 1 },
    idColumn(cells('id')),
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  remarkOnPage(response, rows.length, 'endpoints', output);
}

/** The delivery attempts of an endpoint. */
export function showDeliveryList(response: Shown<WebhookDeliveryPage>, output: Output): void {
  const rows = recordsOf<WebhookDelivery>(response['deliveries']);
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'time (utc)', cells: cells('createdAt').map(formatMinute), dropOrder: 3 },
    { title: 'event', cells: cells('eventType') },
    { title: 'attempt', cells: cells('attempt') },
    { title: 'status', cells: cells('status') },
    { title: 'code', cells: cells('statusCode') },
    { title: 'ms', cells: cells('durationMs'), dropOrder: 2 },
    { title: 'next (utc)', cells: cells('nextAttemptAt').map(formatMinute), dropOrder: 1 },
    { title: 'error', cells: cells('error'), minWidth: 12, dropOrder: 5 },
    idColumn(cells('id')),
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  remarkOnPage(response, rows.length, 'deliveries', output);
}

function stateOf({ status, disabledReason, failingSince }: Shown<Webhook>): string {
  if (status === 'disabled') return `disabled (${singleLine(textOf(disabledReason))})`;
  return failingSince === null ? 'enabled' : `failing since ${formatTime(singleLine(textOf(failingSince)))}`;
}

function shortStateOf(webhook: Shown<Webhook>): string {
  const [word = ''] = stateOf(webhook).split(' ');
  return word;
}

function paintState({ paint }: Output) {
  return (cell: string) => (cell.startsWith('enabled') ? cell : paint.bad(cell));
}

function eventsText({ events }: Shown<Webhook>): string {
  const names = Array.isArray(events) ? events.map((name) => singleLine(textOf(name))) : [];
  if (names.length === 0) return 'all';
  return names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(', ');
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [
  defineView(['Webhook', 'WebhookWithSecret'], showWebhook),
  defineView(['WebhookPage'], showWebhookList),
  defineView(['WebhookDeliveryPage'], showDeliveryList),
];
