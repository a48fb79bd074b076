import { ProblemError } from '../../problem.ts';
import { fingerprintOf } from '../../sending/idempotency.ts';
import type { Handler } from '../context.ts';

/** Hands one send to the acceptance door and tells its verdict. */
export const sendEmail: Handler<'emails.send'> = async ({ body, headers }, context) => {
  const { caller, services } = context;
  const key = headers['idempotency-key'];
  const verdict = await services.door.accept({
    accountId: caller.accountId,
    keyId: caller.keyId,
    recipientAllowlist: caller.recipientAllowlist,
    persona: caller.persona,
    fixedChannel: context.via === 'mcp' ? 'mcp' : null,
    headerClaims: { source: headers['x-service-source'], agentName: headers['x-service-agent'] },
    request: body,
    idempotency: key === undefined ? null : { key, fingerprint: fingerprintOf(context.rawBody) },
  });
  if (verdict.kind === 'refused') {
    const { code, detail, fix, recipients } = verdict;
    throw new ProblemError(code, { detail, ...(fix ? { fix } : {}), ...(recipients ? { recipients } : {}) });
  }
  context.noteEmail(verdict.id);
  return {
    body: { id: verdict.id, status: verdict.status },
    headers: {
      'x-quota-limit': String(verdict.quota.limit),
      'x-quota-remaining': String(verdict.quota.remaining),
      ...(verdict.replayed ? { 'idempotency-replayed': 'true' } : {}),
    },
  };
};
