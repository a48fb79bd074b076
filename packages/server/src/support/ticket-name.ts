import type { TicketName } from '../db/queries/support-tickets.ts';
import { isUuid } from '../uuid-v7.ts';

/** A ticket by what stands in a path: its number, as people say it, or its id; null for what can be neither. */
export function toTicketName(text: string): TicketName | null {
  if (/^\d{1,15}$/.test(text)) return { number: Number(text) };
  return isUuid(text) ? { id: text } : null;
}
