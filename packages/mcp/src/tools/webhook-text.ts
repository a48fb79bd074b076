import { findOperation, type OperationById, type OperationOutput, type Webhook } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool, type ToolMaker } from '../tool.ts';
import { toOneLine } from '../untrusted-text.ts';

const SHOWN_ONCE =
  'The signing secret is shown only once and cannot be read again. Store it where the receiver reads it, and nowhere else: not in an email, ticket or log.';

export const getWebhookTool = oneWebhookTool(findOperation('webhooks.get'));
export const updateWebhookTool = oneWebhookTool(findOperation('webhooks.update'));
export const deleteWebhookTool = oneWebhookTool(findOperation('webhooks.delete'), 'Deleted. It was:');
export const createWebhookTool = secretWebhookTool(findOperation('webhooks.create'));
export const rotateWebhookTool = secretWebhookTool(findOperation('webhooks.rotate'));

/** An endpoint without its secret, on a line; URL and description are third-party text. */
export function describeWebhook(webhook: Webhook): string {
  const { id, url, description, events, status, disabledReason, failingSince, createdAt } = webhook;
  const parts = [
    `${id} ${status}${disabledReason === null ? '' : ` (${disabledReason})`}`,
    url,
    `events ${events.join(', ') || 'all'}`,
    ...(failingSince === null ? [] : [`failing since ${failingSince}`]),
    `made ${createdAt}`,
    ...(description === null ? [] : [description]),
  ];
  return `- ${toOneLine(parts.join(' | '))}`;
}

/** A tool that returns one endpoint; `lead` says what the call did. */
function oneWebhookTool(
  operation: OperationById<'webhooks.get' | 'webhooks.update' | 'webhooks.delete'>,
  lead?: string,
): ToolMaker {
  const said = lead === undefined ? [] : [lead];
  return callingTool(operation, {
    structuredNotes: [...said, UNTRUSTED_NOTE],
    toText: (webhook, untrusted) => [...said, untrusted(describeWebhook(webhook))].join('\n'),
  });
}

/** A tool that returns an endpoint with its secret. */
function secretWebhookTool(operation: OperationById<'webhooks.create' | 'webhooks.rotate'>): ToolMaker {
  return callingTool(operation, {
    structuredNotes: [SHOWN_ONCE, UNTRUSTED_NOTE],
    toText: ({ secret, ...webhook }, untrusted) =>
      [SHOWN_ONCE, `Secret: ${secret}`, untrusted(describeWebhook(webhook))].join('\n'),
  });
}

type Delivery = OperationOutput<OperationById<'webhooks.deliveries'>>['deliveries'][number];

/** One attempt on a line; lists omit the receiver's response. */
export function deliveryRow({
  id,
  eventId,
  eventType,
  attempt,
  status,
  ...row
}: Omit<Delivery, 'responseBody'>): string {
  const parts = [
    `${id} ${status}${row.statusCode === null ? '' : ` ${row.statusCode}`}`,
    `${eventType} ${eventId}`,
    `attempt ${attempt} at ${row.createdAt}${row.durationMs === null ? '' : ` in ${row.durationMs} ms`}`,
    ...(row.nextAttemptAt === null ? [] : [`next ${row.nextAttemptAt}`]),
    ...(row.error === null ? [] : [row.error]),
  ];
  return `- ${toOneLine(parts.join(' | '))}`;
}
