import type { CallerFacts } from './reach.ts';
import type { Approvers } from './schemas/approvers.ts';
import type { ApprovalMode, HoldWhen } from './schemas/hold-when.ts';
import type { KeyMode, SendLimit } from './schemas/key.ts';
import type { Source } from './schemas/provenance.ts';
import type { Scope } from './scopes.ts';

/** The settings of a key that decide what it may do, as the key record has them. Scopes are without shorthands. */
export interface KeyPolicy {
  readonly mode: KeyMode;
  readonly scopes: readonly Scope[];
  readonly rateLimit: number;
  readonly sendLimit: SendLimit | null;
  readonly recipientAllowlist: readonly string[] | null;
  readonly ipAllowlist: readonly string[] | null;
  readonly attachmentHosts: readonly string[] | null;
  readonly approvalMode: ApprovalMode;
  readonly holdWhen: HoldWhen | null;
  readonly approvers?: Approvers;
  readonly persona: { readonly agentName: string | null; readonly source: Source | null } | null;
  readonly lockPersona: boolean;
  /** RFC 3339; null: never. */
  readonly expiresAt: string | null;
  /** Whether the key or its account is paused. */
  readonly isPaused?: boolean;
}

/** Whether the key is in approval mode. */
export function isHeldKey({ approvalMode }: Pick<KeyPolicy, 'approvalMode'>): boolean {
  return approvalMode !== 'off';
}

/** The facts by which the reach policy decides what the key may call. */
export function factsOfKey(key: KeyPolicy): CallerFacts {
  return {
    ...{ role: null, isDevice: false, isHeld: isHeldKey(key), isTest: key.mode === 'test' },
    ...{ isAllowlisted: key.recipientAllowlist !== null, isLimited: key.sendLimit !== null },
    isPaused: key.isPaused === true,
  };
}
