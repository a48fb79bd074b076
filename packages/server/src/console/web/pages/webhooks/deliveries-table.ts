import type { Webhook, WebhookDelivery } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { statusBadge } from '../../../../ui/components/badge.ts';
import { emptyState } from '../../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../../ui/components/table.ts';
import { time } from '../../../../ui/components/time.ts';
import { eventWords } from './event-choice.ts';
import { deliveryPath } from './paths.ts';

/** Attempts to deliver, newest first. */
export function deliveriesTable(
  endpoint: Pick<Webhook, 'id'>,
  deliveries: readonly WebhookDelivery[],
  emptyTitle: string,
  emptyText: string,
): Html {
  if (deliveries.length === 0) return emptyState(emptyTitle, emptyText);
  const columns: readonly Column<WebhookDelivery>[] = [
    {
      label: 'Event',
      kind: 'lead',
      cell: ({ id, eventType }) =>
        html`<a class="row-link" href="${deliveryPath(endpoint, id)}">${eventWords(eventType)}</a>`,
    },
    { label: 'Status', cell: ({ status }) => statusBadge(status) },
    { label: 'Response', cell: responseOf },
    { label: 'Attempt', kind: 'number', cell: ({ attempt }) => attempt },
    { label: 'Duration', kind: 'number', cell: ({ durationMs }) => durationWords(durationMs) },
    { label: 'When', cell: ({ createdAt }) => time(createdAt) },
  ];
  // A pending attempt gets another id when it is made, so its row is found by its event and number.
  return table({
    ...{ caption: 'Deliveries, newest first', columns, rows: deliveries },
    idOf: ({ eventId, attempt }) => `delivery-${eventId}-${attempt}`,
    rowAttributes: () => ({ 'data-row': true }),
  });
}

/** The status code, or why there was none. */
function responseOf({ status, statusCode, error, nextAttemptAt }: WebhookDelivery): Html {
  if (status === 'pending') {
    return html`<span class="faint">${nextAttemptAt === null ? 'waiting' : html`due ${time(nextAttemptAt, 'age')}`}</span>`;
  }
  const reason = status === 'succeeded' || error === null ? null : html`<span class="small soft">${error}</span>`;
  return html`${statusCode === null ? null : html`<code>${statusCode}</code> `}${reason}`;
}

export function durationWords(durationMs: number | null): string {
  return durationMs === null ? '–' : `${durationMs.toLocaleString('en-US')} ms`;
}
