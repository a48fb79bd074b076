import { type Message, maySee, type Viewer } from '@postrider/core';
import { toMessageApproval } from '../../approvals/holds/approval-record.ts';
import { POSTMASTER_KEY_ID } from '../../db/queries/postmaster-account.ts';
import { type FullMessageRow, readMessage } from '../../db/queries/read-messages.ts';
import { isSettled } from '../../delivery/message-status.ts';
import { ProblemError } from '../../problem.ts';
import { isUuid } from '../../uuid-v7.ts';
import { type MessageOwner, redactMessage } from '../../visibility/redact-message.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { assertStillAllowed } from '../assert-still-allowed.ts';
import type { Handler } from '../context.ts';
import { toAttempts } from './attempt-record.ts';
import { toMessageEvent, toMessageRecord } from './message-record.ts';

const DAY_MS = 86_400_000;

/** Reads one message. With `wait`, returns once it is settled or the time is over. */
export const getEmail: Handler<'emails.get'> = async ({ params, query }, context) => {
  const { caller } = context;
  const { database, events, installation } = context.services;
  const read = async () => (isUuid(params.id) ? await readMessage(database.sql, caller.accountId, params.id) : null);
  let row = await read();
  if (row === null)
    throw new ProblemError('not_found', { detail: `There is no message ${params.id} in this account.` });
  context.noteEmail(row.id);
  if (query.wait !== undefined && !isSettled(row.status)) {
    await events.waiter.wait(caller.accountId, row.id, query.wait * 1_000, context.signal);
    await assertStillAllowed(context, 'emails:read');
    row = (await read()) ?? row;
  }
  const { bodyDays } = installation.retention;
  return { body: toVisibleMessage(row, viewerOf(caller), bodyDays) };
};

function toVisibleMessage(row: FullMessageRow, viewer: Viewer, bodyDays: number): Message {
  const owner: MessageOwner = { keyId: row.keyId, blind: addressesOf(row, 'bcc') };
  const { message, redacted } = redactMessage(toMessage(row, bodyDays), owner, viewer);
  return { ...message, contentRedacted: !maySee(viewer, 'message.content', row.keyId), redacted: [...redacted] };
}

function toMessage(row: FullMessageRow, bodyDays: number): Omit<Message, 'contentRedacted' | 'redacted'> {
  return {
    ...toMessageRecord(row),
    html: row.body?.html ?? null,
    text: row.body?.text ?? null,
    headers: row.body === null ? null : { ...row.body.headers },
    cc: addressesOf(row, 'cc'),
    bcc: addressesOf(row, 'bcc'),
    replyTo: row.replyTo,
    recipients: [...row.recipients],
    attachments: row.body === null ? null : [...row.attachments],
    scheduledAt: row.scheduledAt?.toISOString() ?? null,
    metadata: { ...row.metadata },
    template: row.template,
    resendOf: row.resendOf,
    keyId: row.keyId === POSTMASTER_KEY_ID ? null : row.keyId,
    keyName: row.keyName,
    lastError: row.lastError,
    bodyExpiresAt: new Date(row.createdAt.getTime() + bodyDays * DAY_MS).toISOString(),
    bodyExpired: row.body === null,
    approval: toMessageApproval(row.hold),
    events: row.events.map(toMessageEvent),
    attempts: toAttempts(row),
  };
}

function addressesOf(row: FullMessageRow, kind: string): string[] {
  return row.recipients.filter((recipient) => recipient.kind === kind).map(({ email }) => email);
}
