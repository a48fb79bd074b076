import { createHash, hash } from 'node:crypto';
import type { RecipientKind } from '@postrider/core';
import { hashBytesInSlices, hashJsonInSlices } from '../../threads/sliced-json.ts';

/** Everything that approvers see of a held message, and that is sent once it is approved. */
export interface PinnedContent {
  readonly from: string;
  readonly replyTo: string | null;
  readonly recipients: readonly {
    readonly kind: RecipientKind;
    readonly name: string | null;
    readonly email: string;
  }[];
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly PinnedFile[];
  readonly unsubscribe: boolean;
  readonly scheduledAt: Date | null;
}

export interface PinnedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly contentId: string | null;
  /** SHA-256 of the file's content, in hexadecimal. */
  readonly digest: string;
}

/** Identifies exactly this content: SHA-256 in hexadecimal. An approver can send it back to prove which content they saw. */
export async function hashContent(content: PinnedContent): Promise<string> {
  return (await hashJsonInSlices(createHash('sha256'), canonicalize(content))).digest('hex');
}

/** The same at once, for small content and for threads of their own. */
export function hashContentNow(content: PinnedContent): string {
  return hash('sha256', JSON.stringify(canonicalize(content)));
}

function canonicalize(content: PinnedContent): unknown {
  const { from, replyTo, recipients, subject, html, text, headers, attachments, unsubscribe, scheduledAt } = content;
  return [
    ...[from, replyTo, subject, html, text, unsubscribe, scheduledAt?.toISOString() ?? null],
    recipients.map(({ kind, name, email }) => [kind, name, email]),
    Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)),
    attachments.map(({ filename, contentType, contentId, digest }) => [filename, contentType, contentId, digest]),
  ];
}

export async function digestOf(content: Uint8Array): Promise<string> {
  return (await hashBytesInSlices(createHash('sha256'), content)).digest('hex');
}
