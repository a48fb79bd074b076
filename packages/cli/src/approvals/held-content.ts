import type { Hold } from './hold.ts';

/** What can be changed of a held send, as it stands in the file that is edited. Line breaks are `\n`. */
export interface HeldContent {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly scheduledAt: string;
  readonly text: string;
  readonly html: string;
}

/** The changes by the names of a send. */
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

/** What a mail becomes by these changes. */
export function withEdits(content: HeldContent, { scheduled_at: scheduledAt, ...edits }: Edits): HeldContent {
  return { ...content, ...edits, ...(scheduledAt === undefined ? {} : { scheduledAt }) };
}

/** Only what is other than it was: what nobody touched is not sent, and so cannot be changed by the way. */
export function editsBetween(before: HeldContent, after: HeldContent): Edits {
  const names = ['to', 'cc', 'bcc', 'subject', 'text', 'html'] as const;
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const edits = Object.fromEntries(changed.map((name) => [name, after[name]]));
  if (before.scheduledAt === after.scheduledAt) return edits;
  // Without a time it goes at once, which a send says as no time from now.
  return { ...edits, scheduled_at: after.scheduledAt === '' ? 'PT0S' : after.scheduledAt };
}
