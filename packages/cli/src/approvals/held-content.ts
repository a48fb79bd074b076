import type { Hold } from './hold.ts';

/** The editable fields of a held send, as in the edit file. Line breaks are `\n`. */
export interface HeldContent {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly scheduledAt: string;
  readonly text: string;
  readonly html: string;
}

/** The changed fields, with the names of a send. */
export interface Edits {
  readonly to?: readonly string[];
  readonly cc?: readonly string[];
  readonly bcc?: readonly string[];
  readonly subject?: string;
  readonly scheduled_at?: string;
  readonly text?: string;
  readonly html?: string;
}

export function contentOf(hold: Hold): HeldContent {
  const { to, cc, bcc, subject, scheduledAt, text, html } = hold;
  const body = (given: string | null) => (given ?? '').replace(/\r\n?/g, '\n');
  return { to, cc, bcc, subject, scheduledAt: scheduledAt ?? '', text: body(text), html: body(html) };
}

/** The content with these changes applied. */
export function withEdits(content: HeldContent, { scheduled_at: scheduledAt, ...edits }: Edits): HeldContent {
  return { ...content, ...edits, ...(scheduledAt === undefined ? {} : { scheduledAt }) };
}

/** Only the changed fields: the others are not sent, so they cannot change by accident. */
export function editsBetween(before: HeldContent, after: HeldContent): Edits {
  const names = ['to', 'cc', 'bcc', 'subject', 'text', 'html'] as const;
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const edits = Object.fromEntries(changed.map((name) => [name, after[name]]));
  if (before.scheduledAt === after.scheduledAt) return edits;
  // An empty time means now, which a send expresses as a duration of zero.
  return { ...edits, scheduled_at: after.scheduledAt === '' ? 'PT0S' : after.scheduledAt };
}
