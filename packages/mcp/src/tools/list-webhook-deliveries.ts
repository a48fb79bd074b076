import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { describePage } from './page-text.ts';
import { deliveryRow } from './webhook-text.ts';

/** Receivers' responses are omitted: four kilobytes per row would leave no room for anything else. */
const RESPONSE_CHARACTERS_MAX = 300;

export const listWebhookDeliveriesTool = callingTool(findOperation('webhooks.deliveries'), {
  toRecord: (page) => ({ ...page, deliveries: page.deliveries.map(toRow) }),
  structuredNotes: [UNTRUSTED_NOTE],
  toText: (page, untrusted) =>
    describePage(page, { rows: page.deliveries, noun: 'deliveries', describeRow }, untrusted),
});

function toRow<T extends { readonly responseBody: string | null }>(row: T): T {
  return { ...row, responseBody: row.responseBody?.slice(0, RESPONSE_CHARACTERS_MAX) ?? null };
}

function describeRow({ responseBody, ...row }: Parameters<typeof deliveryRow>[0] & { responseBody: string | null }) {
  return responseBody === null || responseBody === ''
    ? deliveryRow(row)
    : `${deliveryRow(row)} | response: ${responseBody.replaceAll(/\s+/g, ' ')}`;
}
