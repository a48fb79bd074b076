import { digestOf, hashContent, type PinnedFile } from '../approvals/holds/content-hash.ts';
import type { NewHold } from '../db/queries/insert-holds.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { HoldVerdict } from './hold-ledger.ts';
import type { PreparedSend } from './prepare-send.ts';
import { provenanceOf } from './provenance.ts';

/** Reminders go out at these parts of the time a hold has. */
const REMINDERS: readonly number[] = [0.5, 0.9];

/** When the approvers of a hold are reminded next; null where they have been for the last time. */
export function nextReminder(createdAt: Date, expiresAt: Date, after: Date): Date | null {
  const spanMs = expiresAt.getTime() - createdAt.getTime();
  const times = REMINDERS.map((part) => new Date(createdAt.getTime() + Math.floor(spanMs * part)));
  return times.find((at) => at > after) ?? null;
}

/** The rows of a hold: what it shows is pinned by the hash of all of it. */
export async function toNewHold(
  send: PreparedSend,
  verdict: HoldVerdict,
  id: string,
  now: Date,
  ids: IdGenerator,
): Promise<NewHold> {
  const { request, content } = send.command;
  const { reasons, expiresAt } = verdict;
  const { subject, html, text, scheduledAt } = content;
  const attachments: PinnedFile[] = [];
  for (const { filename, contentType, contentId, content: bytes } of content.attachments) {
    attachments.push({ filename, contentType, contentId, digest: await digestOf(bytes) });
  }
  const hash = await hashContent({
    ...{ subject, html, text, scheduledAt, recipients: send.recipients },
    from: request.from.given,
    replyTo: request.reply_to?.given ?? null,
    headers: request.headers ?? {},
    unsubscribe: request.unsubscribe === true,
    attachments,
  });
  const { channel } = provenanceOf(send.command);
  return {
    id,
    event_id: ids.next(now),
    reasons,
    content_hash: hash,
    expires_at: expiresAt,
    remind_at: nextReminder(now, expiresAt, now) ?? expiresAt,
    way: channel === 'mcp' || channel === 'smtp' ? channel : 'rest',
  };
}
