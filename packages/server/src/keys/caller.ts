import { type KeyMode, type Role, type Scope, type SendLimit, type Source, scopesOfSession } from '@postrider/core';
import type { HoldRule } from '../approvals/holds/hold-rules.ts';
import type { ApiKeyRow } from '../db/queries/api-keys.ts';
import type { ShownCredential } from '../db/queries/shown-credentials.ts';
import { toKeyRules } from '../sending/key-rules.ts';
import type { MakerSendLimit } from '../sending/send-command.ts';

/** A signed-in person, as a member of the account that the session is in. */
export interface Person {
  readonly sessionId: string;
  /** However much it is used. */
  readonly sessionEndsAt: Date;
  readonly userId: string;
  /** Of the seat in this account: what the team, the audit log and everything else in the account names the person by. */
  readonly memberId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  /** Whether a device sign-in began the session, and not a browser. */
  readonly isDevice: boolean;
  /** Whether the session may decide held sends where the role may. Always true in a browser. */
  readonly mayDecide: boolean;
  /** What the program or the browser said of itself. */
  readonly client: string | null;
}

/**
 * Who calls, and the account they belong to: the key behind a request, or a signed-in person. What a person does is done under the key of
 * their seat, which nobody has the secret of and whose id is that of the member: so limits, the audit log and messages know people as they
 * know keys.
 */
export interface Caller {
  /** Null where a key calls. */
  readonly person: Person | null;
  readonly accountId: string;
  readonly accountName: string;
  /** The account's switches. */
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
  readonly keyId: string;
  readonly keyName: string;
  readonly mode: KeyMode;
  readonly last4: string;
  readonly scopes: readonly Scope[];
  /** Requests a minute. */
  readonly rateLimit: number;
  readonly recipientAllowlist: readonly string[] | null;
  readonly ipAllowlist: readonly string[] | null;
  readonly attachmentHosts: readonly string[] | null;
  readonly persona: { readonly source: Source | null; readonly agentName: string | null };
  readonly lockPersona: boolean;
  readonly sendLimit: SendLimit | null;
  /** Of the keys that it was made by: what it sends counts as theirs. */
  readonly makerLimits: readonly MakerSendLimit[];
  /** What is paused, so that nothing can be sent. */
  readonly pausedBy: 'key' | 'account' | null;
  /** Which of its sends wait for a person; null where none does. */
  readonly approval: HoldRule | null;
  /** Of the stored key: the statement that accepts a send refuses one that was judged by an earlier state. */
  readonly version: number;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** When the secret that was shown ends; null for the present one. */
  readonly secretEndsAt: Date | null;
  /** What the request showed; null where the record was read by its id. */
  readonly shown: ShownCredential | null;
  /** The key as it is stored; of a person that of their seat, with the scopes of their role. */
  readonly row: ApiKeyRow & { readonly grantsAnything?: boolean };
}

/** The caller that a signed-in person is, by the key of their seat. */
export function toPersonCaller(row: ApiKeyRow, person: Person): Caller {
  const seat = { ...row, scopes: scopesOfSession(person.role, person.mayDecide) };
  const grantsAnything = person.role === 'owner' || person.role === 'admin';
  const shown = { kind: 'session', id: person.sessionId, endsAt: person.sessionEndsAt } as const;
  return { ...toCaller(seat, shown), person, row: { ...seat, grantsAnything } };
}

/**
 * The caller that a stored key stands for.
 * @param shown null where the key is read by its id, and no one has shown its secret
 */
export function toCaller(row: ApiKeyRow, shown: ShownCredential | null = null): Caller {
  return {
    person: null,
    accountId: row.accountId,
    accountName: row.accountName,
    trackOpens: row.trackOpens,
    trackClicks: row.trackClicks,
    keyId: row.keyId,
    keyName: row.keyName,
    last4: row.last4,
    scopes: row.scopes,
    rateLimit: row.rateLimit,
    ...toKeyRules(row),
    createdAt: row.createdAt,
    lastUsedAt: row.lastUsedAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    secretEndsAt: row.secretEndsAt,
    shown,
    row,
  };
}
