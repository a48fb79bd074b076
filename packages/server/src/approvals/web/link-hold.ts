import type { Approval } from '@postrider/core';
import type { FastifyRequest } from 'fastify';
import { type ApprovalLink, findApprovalLink } from '../../db/queries/approval-notices.ts';
import { readApproval } from '../../db/queries/approvals.ts';
import type { Services } from '../../operations/context.ts';
import { readApprovalToken } from '../approval-token.ts';
import { toApproval } from '../holds/approval-record.ts';
import type { HeldContentTools } from './held-content.ts';

/** A valid link and its hold. */
export interface FoundHold {
  readonly token: string;
  readonly tokenHash: Buffer;
  readonly link: ApprovalLink;
  readonly approval: Approval;
  /** `expired` also before the scheduled job has ended it. */
  readonly status: Approval['status'];
  readonly own: ReturnType<Services['forAccount']>;
  readonly tools: HeldContentTools;
}

/** The hold that the token in the address names; null if there is none, or its owner may no longer decide. */
export async function findHold(request: FastifyRequest, services: Services): Promise<FoundHold | null> {
  const { token } = request.params as { readonly token: string }; // The routes have this parameter.
  const tokenHash = readApprovalToken(token);
  const link = tokenHash === null ? null : await findApprovalLink(services.database.sql, tokenHash);
  if (tokenHash === null || link?.isApprover !== true) return null;
  // The token identified the account; from here on, only this account's data is accessible.
  const { accountId } = link;
  const own = services.forAccount(accountId);
  const row = await readApproval(own.database.sql, { accountId, keyId: null, id: link.approvalId });
  if (row === null) return null;
  const status = row.status === 'pending' && row.expiresAt <= services.database.clock.now() ? 'expired' : row.status;
  const tools = { sql: own.database.sql, threads: services.threads, accountId };
  return { token, tokenHash, link, approval: toApproval(row), status, own, tools };
}
