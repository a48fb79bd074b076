import { foldAddress, LIMITS, type Problem, parseMailbox } from '@postrider/core';
import { foreseeApproval } from '../../approvals/foresee-approval.ts';
import { readHeldSend } from '../../db/queries/held-send.ts';
import { ProblemError, toProblem } from '../../problem.ts';
import type { Refusal } from '../../sending/acceptance.ts';
import type { Recipient } from '../../sending/recipients.ts';
import { isUuid } from '../../uuid-v7.ts';
import { redactProblem } from '../../visibility/redact-problem.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { validationFailed } from '../parse-part.ts';
import { approvalNotFound } from './get.ts';
import { visibleKeyOf } from './visible-approvals.ts';

/** Foresees an approval. Nothing is decided, changed or charged. */
export const checkApproval: Handler<'approvals.check'> = async ({ params, query }, context) => {
  const { caller, requestId } = context;
  const { database, installation } = context.services;
  const { accountId, scopes } = caller;
  const name = { accountId, id: params.id, holder: visibleKeyOf(caller) };
  const send = isUuid(params.id) ? await readHeldSend(database.sql, name) : null;
  if (send === null) throw approvalNotFound(params.id);
  context.noteEmail(send.emailId);
  // Otherwise a key without rights to the suppression list could look up any address in it.
  if (query.recipients !== undefined && !scopes.includes('approvals:decide')) {
    throw new ProblemError('missing_scope', { detail: '`recipients` needs the scope `approvals:decide`.' });
  }
  const recipients = query.recipients === undefined ? send.recipients : readRecipients(query.recipients);
  const now = database.clock.now();
  const { checks, refusal } = await foreseeApproval(
    database.sql,
    { ...installation, ...database },
    caller,
    send,
    recipients,
    now,
  );
  const viewer = viewerOf(caller);
  const blind = send.recipients.flatMap(({ kind, email }) => (kind === 'bcc' ? [email] : []));
  const problemOf = ({ code, detail, fix, recipients: refused }: Refusal): Problem => {
    const details = { detail, ...(fix ? { fix } : {}), ...(refused ? { recipients: refused } : {}) };
    const problem = toProblem(new ProblemError(code, details), installation.baseUrl, requestId);
    return redactProblem(problem, { keyId: send.keyId, blind }, viewer);
  };
  return {
    body: {
      ok: refusal === null,
      checks: checks.map(({ name: check, refusal: failed }) => {
        if (failed === null) return { name: check, ok: true };
        const { code, detail: message, fix } = problemOf(failed);
        return { name: check, ok: false, code, message, fix };
      }),
      refusal: refusal === null ? null : problemOf(refusal),
      checkedAt: now.toISOString(),
    },
  };
};

/** The addresses of the query, each once. */
function readRecipients(given: string): readonly Recipient[] {
  const recipients = new Map<string, Recipient>();
  for (const part of given.split(',').filter((address) => address.trim() !== '')) {
    const verdict = parseMailbox(part.trim(), 'separate addresses by commas');
    if (!verdict.ok) throw invalid('invalid_email', verdict.message);
    const { name, address } = verdict.mailbox;
    const folded = foldAddress(address);
    if (!recipients.has(folded)) recipients.set(folded, { ordinal: recipients.size, kind: 'to', name, email: address });
  }
  if (recipients.size === 0) throw invalid('required', 'names no address');
  if (recipients.size > LIMITS.recipientsPerMessage) {
    throw invalid('too_many', `more than the ${LIMITS.recipientsPerMessage} recipients that a message may have`);
  }
  return [...recipients.values()];
}

function invalid(code: string, message: string): ProblemError {
  return validationFailed([{ path: 'recipients', code, message }]);
}
