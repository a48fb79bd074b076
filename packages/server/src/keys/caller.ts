import { type KeyMode, type Role, type Scope, type SendLimit, type Source, scopesOfSession } from '@postrider/core';
import type { HoldRule } from '../approvals/holds/hold-rules.ts';
import type { ApiKeyRow } from '../db/queries/api-keys.ts';
import type { ShownCredential } from '../db/queries/shown-credentials.ts';
import { type MakerSendLimit, toKeyRules } from '../sending/key-rules.ts';
import { usableScopes } from '../usable-scopes.ts';

/** A signed-in user, as a member of the session's account. */
export interface User {
  readonly sessionId: string;
  /** The latest end of the session, however much it is used. */
  readonly sessionEndsAt: Date;
  readonly userId: string;
  /** The id of the user's seat in this account, by which the team, the audit log and other records of the account identify the user. */
  readonly memberId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  /** Whether the session was started by a device sign-in and not by a browser. */
  readonly isDevice: boolean;
  /** Whether the session may decide held sends if the role may; always true in a browser. */
  readonly mayDecide: boolean;
  /** How the program or browser described itself. */
  readonly client: string | null;
}

/**
 * The caller of a request and its account: a key or a signed-in user. A user acts with the key of their seat, which has the member's id and
 * a secret that no one knows. So limits, the audit log and messages treat users like keys.
 */
export interface Caller {
  /** Null if the caller is a key. */
  readonly user: User | null;
  readonly accountId: string;
  readonly accountName: string;
  /** The account's tracking settings. */
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
  readonly keyId: string;
  readonly keyName: string;
  readonly mode: KeyMode;
  readonly last4: string;
  readonly scopes: readonly Scope[];
  /** Requests per minute. */
  readonly rateLimit: number;
  readonly recipientAllowlist: readonly string[] | null;
  readonly ipAllowlist: readonly string[] | null;
  readonly attachmentHosts: readonly string[] | null;
  readonly persona: { readonly source: Source | null; readonly agentName: string | null };
  readonly lockPersona: boolean;
  readonly sendLimit: SendLimit | null;
  /** The send limits of the keys that made this one: its sends count against them. */
  readonly makerLimits: readonly MakerSendLimit[];
  /** What is paused, so that the caller cannot send; null if nothing is. */
  readonly pausedBy: 'key' | 'account' | null;
  /** Which of the caller's sends need approval; null if none do. */
  readonly approval: HoldRule | null;
  /** The version of the stored key. The statement that accepts a send refuses it if the send was checked against an earlier version. */
  readonly version: number;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** When the secret used for this request ends; null for the current secret. */
  readonly secretEndsAt: Date | null;
  /** The credential of the request; null if the record was read by id. */
  readonly shown: ShownCredential | null;
  /** The stored key; for a user, the key of their seat with the scopes of their role. */
  readonly row: ApiKeyRow & { readonly grantsAnything?: boolean };
}

/** Makes a caller from a signed-in user and the key of their seat. */
export function toUserCaller(row: ApiKeyRow, user: User): Caller {
  const seat = { ...row, storedScopes: scopesOfSession(user.role, user.mayDecide) };
  const grantsAnything = user.role === 'owner' || user.role === 'admin';
  const shown = { kind: 'session', id: user.sessionId, endsAt: user.sessionEndsAt } as const;
  return { ...toCaller(seat, shown), user, row: { ...seat, grantsAnything } };
}

/**
 * Makes a caller from a stored key.
 * @param shown null if the key was read by id, without its secret
 */
export function toCaller(row: ApiKeyRow, shown: ShownCredential | null = null): Caller {
  return {
    user: null,
    accountId: row.accountId,
    accountName: row.accountName,
    trackOpens: row.trackOpens,
    trackClicks: row.trackClicks,
    keyId: row.keyId,
    keyName: row.keyName,
    last4: row.last4,
    scopes: usableScopes(row),
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
