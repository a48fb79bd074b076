import { readUsage } from '../../db/queries/accounts.ts';
import { listSendingDomains } from '../../db/queries/sending-domains.ts';
import { keyPrefix } from '../../keys/api-key.ts';
import { quotaMonth, quotaResetsAt } from '../../sending/quota.ts';
import type { Handler } from '../context.ts';

/** What the calling key is and has left. */
export const getOwnKey: Handler<'keys.self'> = async (_input, { services, caller }) => {
  const now = services.clock.now();
  const [usage, domains] = await Promise.all([
    readUsage(services.sql, caller.accountId, quotaMonth(now)),
    listSendingDomains(services.sql, caller.accountId),
  ]);
  const limit = usage.monthlyQuota ?? services.monthlyQuota;
  const { source, agentName } = caller.persona;
  return {
    body: {
      id: caller.keyId,
      name: caller.keyName,
      mode: caller.mode,
      prefix: keyPrefix(caller.mode),
      last4: caller.last4,
      scopes: [...caller.scopes],
      recipientAllowlist: caller.recipientAllowlist === null ? null : [...caller.recipientAllowlist],
      persona: source === null && agentName === null ? null : { source, agentName },
      createdAt: caller.createdAt.toISOString(),
      lastUsedAt: caller.lastUsedAt?.toISOString() ?? null,
      expiresAt: caller.expiresAt?.toISOString() ?? null,
      revokedAt: caller.revokedAt?.toISOString() ?? null,
      sendingDomains: [...domains, services.sandboxDomain],
      account: { id: caller.accountId, name: caller.accountName },
      quota: {
        limit,
        used: usage.used,
        remaining: Math.max(0, limit - usage.used),
        resetsAt: quotaResetsAt(now).toISOString(),
      },
    },
  };
};
