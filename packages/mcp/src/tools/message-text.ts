import type { Message } from '@postrider/core';
import { toOneLine } from '../untrusted-text.ts';

type Event = Message['events'][number];

/** One `Name: value` line, or nothing where there is no value. */
export function line(name: string, value: string | null | undefined): string[] {
  return value ? [`${name}: ${toOneLine(value)}`] : [];
}

/** A heading with its rows, or nothing where there are none. */
export function section(name: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : [`${name}:`, ...rows.map((row) => `- ${toOneLine(row)}`)];
}

export function recipientRows(recipients: Message['recipients']): string[] {
  return recipients.map(({ email, kind, status }) => `${email} (${kind}): ${status}`);
}

/** The trail, one event a row: position, time, what happened, to whom, why, and the mail server's words. */
export function eventRows(events: Message['events']): string[] {
  return events.map(({ seq, createdAt, type, recipient, classification, detail }: Event) => {
    const why = classification === null ? '' : ` (${classification})`;
    const who = recipient === null ? '' : ` ${recipient}`;
    return `${seq} ${createdAt} ${type}${why}${who}${detail ? `: ${detail}` : ''}`;
  });
}
