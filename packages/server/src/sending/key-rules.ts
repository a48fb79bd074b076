import type { KeyMode, SendLimit, Source } from '@postrider/core';
import type { HoldRule } from '../approvals/holds/hold-rules.ts';
import type { ApiKeyRow } from '../db/queries/api-keys.ts';
import type { ShownCredential } from '../db/queries/shown-credentials.ts';

/** The send limit of a key that created another one, directly or through a key in between. */
export interface MakerSendLimit {
  readonly keyId: string;
  readonly sendLimit: SendLimit;
}

/** The rules of a key for everything it sends. */
export interface KeyRules {
  /** Mail that a test key sends never leaves the installation. */
  readonly mode: KeyMode;
  readonly recipientAllowlist: readonly string[] | null;
  /** The hosts that its attachments may be fetched from; null leaves it to the kind of key. */
  readonly attachmentHosts: readonly string[] | null;
  readonly persona: { readonly source: Source | null; readonly agentName: string | null };
  /** Whether its sends may claim only what the persona names. */
  readonly lockPersona: boolean;
  readonly sendLimit: SendLimit | null;
  /** The send limits of the keys that created it: its sends count toward those limits. */
  readonly makerLimits: readonly MakerSendLimit[];
  /** What is paused and therefore blocks all sends. */
  readonly pausedBy: 'key' | 'account' | null;
  /** Which of its sends wait for approval; none without an approval rule, as for mail of the installation itself. */
  readonly approval?: HoldRule | null | undefined;
  /** The id of the key these rules were read from; none for mail of the installation itself, which no key sends. */
  readonly version?: number | null | undefined;
  readonly ipAllowlist?: readonly string[] | null | undefined;
}

/** A key that judges a send, with its rules. */
export interface JudgingKey extends KeyRules {
  readonly accountId: string;
  readonly keyId: string;
  /** The credential that the caller presented; none for the key that a resend is issued under, and for mail of the installation itself. */
  readonly shown?: ShownCredential | null | undefined;
}

/** The rules of a stored key for everything it sends. */
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
