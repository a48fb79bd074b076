import type { KeyMode, SendLimit, Source } from '@postrider/core';
import type { HoldRule } from '../approvals/holds/hold-rules.ts';
import type { ApiKeyRow } from '../db/queries/api-keys.ts';
import type { ShownCredential } from '../db/queries/shown-credentials.ts';

/** The send limit of a key that made another one, directly or by a key in between. */
export interface MakerSendLimit {
  readonly keyId: string;
  readonly sendLimit: SendLimit;
}

/** What a key says of everything it sends. */
export interface KeyRules {
  /** What a test key sends never leaves the installation. */
  readonly mode: KeyMode;
  readonly recipientAllowlist: readonly string[] | null;
  /** Hosts that its attachments may be fetched from; null leaves it to the kind of key. */
  readonly attachmentHosts: readonly string[] | null;
  readonly persona: { readonly source: Source | null; readonly agentName: string | null };
  /** Whether sends may claim nothing else than the persona. */
  readonly lockPersona: boolean;
  readonly sendLimit: SendLimit | null;
  /** Send limits of the keys that it was made by: what it sends counts as theirs. */
  readonly makerLimits: readonly MakerSendLimit[];
  /** What is paused, so that nothing can be sent. */
  readonly pausedBy: 'key' | 'account' | null;
  /** Which of its sends wait for a person; none where it has no such rule, as mail of the installation itself. */
  readonly approval?: HoldRule | null | undefined;
  /** Of the key these rules were read from; none for mail of the installation itself, which no key sends. */
  readonly version?: number | null | undefined;
  readonly ipAllowlist?: readonly string[] | null | undefined;
}

/** A key that judges a send, with its rules. */
export interface JudgingKey extends KeyRules {
  readonly accountId: string;
  readonly keyId: string;
  /** By what the caller was let in; none for the key that a resend goes out under, and for mail of the installation itself. */
  readonly shown?: ShownCredential | null | undefined;
}

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
