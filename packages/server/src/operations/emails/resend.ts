import { mailboxSchema, maySee, RECIPIENT_KINDS, type RecipientKind, type SendRequest } from '@postrider/core';
import { findKeyById } from '../../db/queries/api-keys.ts';
import { readAttachments, type StoredAttachment } from '../../db/queries/message-attachments.ts';
import { readMessageOwner } from '../../db/queries/queued-messages.ts';
import { readStoredSend, type StoredSend } from '../../db/queries/stored-sends.ts';
import { type Caller, toCaller } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import { fingerprintOf } from '../../sending/idempotency.ts';
import { senderOf } from '../../sending/judged-sender.ts';
import type { SendInput } from '../../sending/parsed-send.ts';
import { sendMessages } from '../../sending/send-messages.ts';
import type { SendVerdict } from '../../sending/send-verdict.ts';
import { isUuid } from '../../uuid-v7.ts';
import { hasUnknownRecipients, knows, UNKNOWN_RECIPIENTS } from '../../visibility/known-parts.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler, KeyedContext } from '../context.ts';
import type { AccountDatabase } from '../database.ts';
import { acceptedBody, sendHeaders, toSendProblem } from './send-response.ts';

/** A stored message with its body, as `readStoredSend` returns it. */
type SendWithBody = StoredSend & { readonly body: NonNullable<StoredSend['body']> };

/** Sends a stored message again, issued under the key that sent it first. The stricter rules of that key and the caller apply. */
export const resendEmail: Handler<'emails.resend'> = async ({ params, headers }, context) => {
  const {
    services: { database },
    caller,
  } = context;
  const stored = (await isForCaller(params.id, database, caller))
    ? await readStoredSend(database.sql, caller.accountId, params.id)
    : null;
  if (stored === null) {
    throw new ProblemError('not_found', { detail: `There is no message ${params.id} in this account.` });
  }
  const key = headers['idempotency-key'];
  const idempotency = key === undefined ? null : { key, fingerprint: fingerprintOf({ resend: stored.id }) };
  const verdict = (await findReplay(idempotency, context)) ?? (await resend(stored, stored.body, idempotency, context));
  if (verdict.kind === 'refused') throw toSendProblem(verdict);
  context.noteEmail(verdict.id);
  return {
    body: { ...acceptedBody(verdict), resendOf: stored.id },
    headers: sendHeaders(verdict),
  };
};

/**
 * Whether the caller may resend the message. For a key that cannot read the log, messages of other senders do not exist. They are not read
 * either, so that the time of the response does not reveal them.
 */
async function isForCaller(id: string, { sql }: AccountDatabase, caller: Caller): Promise<boolean> {
  if (!isUuid(id)) return false;
  if (maySee(viewerOf(caller), 'message.log', null)) return true;
  const owner = await readMessageOwner(sql, caller.accountId, id);
  return owner !== null && [owner.ownerKeyId, owner.keyId].includes(caller.keyId);
}

/** A repeated call gets the same result, even if its key or the body is gone. */
async function findReplay(
  idempotency: SendInput['idempotency'],
  { services: { sending }, caller }: KeyedContext,
): Promise<SendVerdict | null> {
  if (idempotency === null) return null;
  const replays = await sending.acceptanceDryRun.findReplays(caller, [idempotency]);
  return replays.get(idempotency.key) ?? null;
}

async function resend(
  stored: Omit<SendWithBody, 'body'>,
  body: SendWithBody['body'] | null,
  idempotency: SendInput['idempotency'],
  { services: { database, sending }, caller, via }: KeyedContext,
): Promise<SendVerdict> {
  const viewer = viewerOf(caller);
  if (hasUnknownRecipients(viewer, stored.keyId, stored.recipients)) return { kind: 'refused', ...UNKNOWN_RECIPIENTS };
  const isHidden = !knows(viewer, 'message.content', stored.keyId);
  const issuer = await findIssuer(stored.keyId, database, caller);
  if (body === null)
    throw new ProblemError('body_expired', { detail: `The body of ${stored.id} is no longer stored.` });
  const files = await readAttachments(database.sql, caller.accountId, stored.id);
  const call = { fixedChannel: via === 'mcp' ? 'mcp' : null, idempotency } as const;
  const [verdict] = await sendMessages(sending, senderOf(caller, issuer), [
    toResendInput({ ...stored, body }, { attachments: files, isHidden }, call),
  ]);
  if (verdict === undefined) throw new Error('a resend returned no verdict');
  return verdict;
}

/** The current state of the key that sent the message first. */
async function findIssuer(keyId: string, { sql, clock }: AccountDatabase, { accountId }: Caller): Promise<Caller> {
  const row = await findKeyById(sql, accountId, keyId);
  const now = clock.now();
  if (row === null || row.revokedAt !== null) {
    throw new ProblemError('issuing_key_revoked', { detail: 'The key that sent this message was revoked.' });
  }
  if (row.expiresAt !== null && row.expiresAt <= now) {
    const detail = `The key that sent this message, ending in ${row.last4}, expired on ${row.expiresAt.toISOString()}.`;
    throw new ProblemError('key_expired', { detail, fix: 'Send a new message with a valid key.' });
  }
  return toCaller(row);
}

/**
 * The input that sends a stored message again. It reuses the rendered, tagged and fetched content and the provenance of the first message,
 * but not its schedule or idempotency key.
 */
function toResendInput(
  stored: SendWithBody,
  { attachments, isHidden }: { readonly attachments: readonly StoredAttachment[]; readonly isHidden: boolean },
  call: Pick<SendInput, 'fixedChannel' | 'idempotency'>,
): SendInput {
  return {
    ...call,
    request: toRequest(stored),
    headerClaims: {},
    resendOf: stored.id,
    stored: { template: stored.template, attachments, isHidden },
  };
}

function toRequest(stored: SendWithBody): SendRequest {
  const { html, text, headers } = stored.body;
  return {
    from: mailboxSchema.parse(stored.fromGiven),
    ...toRecipients(stored.recipients),
    ...(stored.replyTo === null ? {} : { reply_to: mailboxSchema.parse(stored.replyTo) }),
    subject: stored.subject,
    ...(html === null ? {} : { html }),
    // An empty string prevents deriving a text that the first message did not have.
    text: text ?? '',
    headers: { ...headers },
    metadata: { ...stored.metadata },
    tags: [...stored.tags],
    unsubscribe: stored.unsubscribe,
    channel: stored.channel,
    source: stored.source,
    ...(stored.agentName === null ? {} : { agent_name: stored.agentName }),
  };
}

function toRecipients(recipients: StoredSend['recipients']): Pick<SendRequest, RecipientKind> {
  const of = (kind: RecipientKind) =>
    recipients
      .filter((recipient) => recipient.kind === kind)
      .map(({ name, email }) => ({ ...mailboxSchema.parse(email), name }));
  const [to, cc, bcc] = RECIPIENT_KINDS.map(of);
  return { to: to ?? [], cc: cc ?? [], bcc: bcc ?? [] };
}
