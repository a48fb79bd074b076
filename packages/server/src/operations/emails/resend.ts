import { findKeyById } from '../../db/queries/api-keys.ts';
import { readAttachments } from '../../db/queries/message-attachments.ts';
import { readStoredSend } from '../../db/queries/stored-sends.ts';
import { type Caller, toCaller } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import { fingerprintOf } from '../../sending/idempotency.ts';
import { senderOf } from '../../sending/judged-sender.ts';
import type { SendVerdict } from '../../sending/send-command.ts';
import { type SendOrder, sendMessages } from '../../sending/send-messages.ts';
import { type SendWithBody, toResendOrder } from '../../sending/stored-order.ts';
import { isUuid } from '../../uuid-v7.ts';
import type { MessageOwner } from '../../visibility/redact-message.ts';
import { redactProblem } from '../../visibility/redact-problem.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler, KeyedContext } from '../context.ts';
import { acceptedBody, sendHeaders, toSendProblem } from './send-response.ts';

/** Sends a stored message again, under the key that sent it first and by the stricter rules of that key and the caller. */
export const resendEmail: Handler<'emails.resend'> = async ({ params, headers }, context) => {
  const { services, caller } = context;
  const stored = isUuid(params.id) ? await readStoredSend(services.sql, caller.accountId, params.id) : null;
  if (stored === null) {
    throw new ProblemError('not_found', { detail: `There is no message ${params.id} in this account.` });
  }
  const key = headers['idempotency-key'];
  const idempotency = key === undefined ? null : { key, fingerprint: fingerprintOf({ resend: stored.id }) };
  const verdict = (await findReplay(idempotency, context)) ?? (await resend(stored, stored.body, idempotency, context));
  if (verdict.kind === 'refused') throw toSendProblem(redactProblem(verdict, ownerOf(stored), viewerOf(caller)));
  context.noteEmail(verdict.id);
  return {
    body: { ...acceptedBody(verdict), resendOf: stored.id },
    headers: sendHeaders(verdict),
  };
};

function ownerOf({ keyId, recipients }: Pick<SendWithBody, 'keyId' | 'recipients'>): MessageOwner {
  return { keyId, blind: recipients.flatMap(({ kind, email }) => (kind === 'bcc' ? [email] : [])) };
}

/** A repeated call is answered as it was, also where its key or the body has gone since. */
async function findReplay(
  idempotency: SendOrder['idempotency'],
  { services, caller }: KeyedContext,
): Promise<SendVerdict | null> {
  if (idempotency === null) return null;
  const replays = await services.acceptanceDryRun.findReplays(caller, [idempotency]);
  return replays.get(idempotency.key) ?? null;
}

async function resend(
  stored: Omit<SendWithBody, 'body'>,
  body: SendWithBody['body'] | null,
  idempotency: SendOrder['idempotency'],
  { services, caller, via }: KeyedContext,
): Promise<SendVerdict> {
  const issuer = await findIssuer(stored.keyId, services, caller);
  if (body === null) throw new ProblemError('body_expired', { detail: `The body of ${stored.id} is stored no more.` });
  const files = await readAttachments(services.sql, caller.accountId, stored.id);
  const call = { fixedChannel: via === 'mcp' ? 'mcp' : null, idempotency } as const;
  const [verdict] = await sendMessages(services, senderOf(caller, issuer), [
    toResendOrder({ ...stored, body }, files, call),
  ]);
  if (verdict === undefined) throw new Error('a resend came back without a verdict');
  return verdict;
}

/** The key that sent the message first, as it is now. */
async function findIssuer(
  keyId: string,
  { sql, clock }: KeyedContext['services'],
  { accountId }: Caller,
): Promise<Caller> {
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
