import type { ApiKeyRow } from '../db/queries/api-keys.ts';
import type { KeyRules } from './send-command.ts';

/** What a stored key says of everything it sends. */
export function toKeyRules(row: ApiKeyRow) {
  return {
    mode: row.mode,
    recipientAllowlist: row.recipientAllowlist,
    ipAllowlist: row.ipAllowlist,
    attachmentHosts: row.attachmentHosts,
    persona: { source: row.personaSource, agentName: row.personaAgentName },
    lockPersona: row.lockPersona,
    sendLimit: toSendLimit(row),
    makerLimits: row.makerLimits.flatMap(({ keyId, ...limit }) => {
      const sendLimit = toSendLimit(limit);
      return sendLimit === null ? [] : [{ keyId, sendLimit }];
    }),
    pausedBy: row.accountPausedAt !== null ? 'account' : row.pausedAt !== null ? 'key' : null,
    approval: row.approvalMode === 'off' ? null : { mode: row.approvalMode, holdWhen: row.holdWhen },
    version: row.version,
  } as const satisfies KeyRules;
}

export function toSendLimit({ hourlySends, dailySends }: Pick<ApiKeyRow, 'hourlySends' | 'dailySends'>) {
  return hourlySends === null && dailySends === null ? null : { hour: hourlySends, day: dailySends };
}
