import type { TicketName } from '../db/queries/support-tickets.ts';
import { isUuid } from '../uuid-v7.ts';

/** Identifies a ticket by a path segment: its number or its id; null for anything else. */
export function toTicketName(text: string): TicketName | null {
  if (/^\d{1,15}$/.test(text)) return { number: Number(text) };
  return isUuid(text) ? { id: text } : null;
}
