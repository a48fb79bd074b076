import type { Message } from '@postrider/core';
import { toOneLine } from '../untrusted-text.ts';

type Event = Message['events'][number];

/** One `Name: value` line; empty if there is no value. */
export function line(name: string, value: string | null | undefined): string[] {
  return value ? [`${name}: ${toOneLine(value)}`] : [];
}

/** A heading with its rows; empty if there are none. */
export function section(name: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : [`${name}:`, ...rows.map((row) => `- ${toOneLine(row)}`)];
}

export function recipientRows(recipients: Message['recipients']): string[] {
  return recipients.map(({ email, kind, status }) => `${email} (${kind}): ${status}`);
}

/** The events, one per row: position, time, what happened, to whom, why, and the mail server's response. */
export function eventRows(events: Message['events']): string[] {
  return events.map(({ seq, createdAt, type, recipient, classification, detail }: Event) => {
    const why = classification === null ? '' : ` (${classification})`;
    const who = recipient === null ? '' : ` ${recipient}`;
    return `${seq} ${createdAt} ${type}${why}${who}${detail ? `: ${detail}` : ''}`;
  });
}

/** The message's provenance: sender program, tags, template. */
export function labelRows({ agentName, tags, template }: Pick<Message, 'agentName' | 'tags' | 'template'>): string[] {
  return [...line('Agent', agentName), ...line('Tags', tags.join(', ')), ...line('Template', template)];
}

/** A file of a message; the size is null if a dry run has only its URL. */
interface ShownFile {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number | null;
}

/** The parts of a message other than its bodies. */
export function partRows({
  headers,
  metadata,
  attachments,
}: Pick<Message, 'headers' | 'metadata'> & { readonly attachments: readonly ShownFile[] | null }): string[] {
  const fields = (map: Readonly<Record<string, string>> | null) =>
    Object.entries(map ?? {}).map(([name, value]) => `${name}: ${value}`);
  const files = (attachments ?? []).map(
    ({ filename, contentType, size }) =>
      `${filename} (${contentType}, ${size === null ? 'not fetched' : `${size} bytes`})`,
  );
  return [
    ...section('Headers', fields(headers)),
    ...section('Metadata', fields(metadata)),
    ...section('Attachments', files),
  ];
}

export function bodyRows({ text, html }: Pick<Message, 'text' | 'html'>): string[] {
  return [...(text ? ['Text body:', text] : []), ...(html ? ['HTML body:', html] : [])];
}
