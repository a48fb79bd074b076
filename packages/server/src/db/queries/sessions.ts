import type { Role } from '@postrider/core';
import type { Query } from '../client.ts';
import type { SessionKind } from '../schema/sessions.ts';
import { type ApiKeyRow, callerColumns } from './api-keys.ts';

/** A session with the seat it is in, and the key of that seat. */
export interface SessionRow extends ApiKeyRow {
  readonly sessionId: string;
  readonly userId: string;
  readonly memberId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly kind: SessionKind;
  /** Whether it may decide held sends where the role may; always true in a browser. */
  readonly mayDecide: boolean;
  /** What the program or the browser said of itself. Null where it was not recorded. */
  readonly client: string | null;
  readonly startedAt: Date;
  readonly seenAt: Date;
}

/** The session of a token of this kind; null where none is known, or its seat is gone. Those that have run out are found too. */
export async function findSession(query: Query, hash: Uint8Array, kind: SessionKind): Promise<SessionRow | null> {
  const [row] = await query<SessionRow[]>`
    SELECT ${callerColumns(query)}, NULL::timestamptz AS "secretEndsAt", s.id AS "sessionId", s.user_id AS "userId", m.id AS "memberId",
      m.email, u.name, m.role, s.kind, s.may_decide AS "mayDecide", s.client, s.created_at AS "startedAt", s.seen_at AS "seenAt"
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    JOIN members m ON m.account_id = s.account_id AND m.id = s.member_id AND m.status = 'active'
    JOIN api_keys k ON k.account_id = m.account_id AND k.id = m.id AND k.revoked_at IS NULL
    JOIN accounts a ON a.id = s.account_id
    WHERE s.token_hash = ${hash} AND s.kind = ${kind}`;
  return row ?? null;
}

export interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly accountId: string;
  readonly memberId: string;
  readonly kind: SessionKind;
  readonly mayDecide: boolean;
  readonly client: string | null;
  readonly address: string | null;
  readonly hash: Uint8Array;
  readonly now: Date;
}

export async function insertSession(query: Query, session: NewSession): Promise<void> {
  const { id, userId, accountId, memberId, kind, mayDecide, client, address, hash, now } = session;
  await query`
    INSERT INTO sessions (id, user_id, account_id, member_id, kind, may_decide, client, address, token_hash, created_at, seen_at)
    VALUES (${id}, ${userId}, ${accountId}, ${memberId}, ${kind}, ${mayDecide}, ${client}, ${address}, ${hash}, ${now}, ${now})`;
}

/** Ends a session; null where there was none of this token. */
export async function deleteSession(
  query: Query,
  hash: Uint8Array,
  kind: SessionKind,
): Promise<{ readonly id: string; readonly accountId: string; readonly memberId: string } | null> {
  const [row] = await query<{ id: string; accountId: string; memberId: string }[]>`
    DELETE FROM sessions WHERE token_hash = ${hash} AND kind = ${kind}
    RETURNING id, account_id AS "accountId", member_id AS "memberId"`;
  return row ?? null;
}

/** Moves a session to another seat of the same person. A device session may decide in the account it was confirmed in, and in no other. */
export async function moveSession(
  query: Query,
  sessionId: string,
  seat: { readonly accountId: string; readonly memberId: string },
): Promise<void> {
  await query`
    UPDATE sessions SET may_decide = may_decide AND (kind = 'cookie' OR account_id = ${seat.accountId}),
      account_id = ${seat.accountId}, member_id = ${seat.memberId}
    WHERE id = ${sessionId}`;
}

export async function touchSessions(query: Query, ids: readonly string[], now: Date): Promise<void> {
  await query`UPDATE sessions SET seen_at = ${now} WHERE id = ANY (${[...ids]}::uuid[])`;
}

/** Removes what has run out: sessions, links, the codes of devices and the counts of tries. `codesBefore` is further back than such a count goes. */
export async function purgeSignIns(
  query: Query,
  limits: { readonly now: Date; readonly seenBefore: Date; readonly startedBefore: Date; readonly codesBefore: Date },
): Promise<void> {
  await query`DELETE FROM sessions WHERE seen_at <= ${limits.seenBefore} OR created_at <= ${limits.startedBefore}`;
  await query`DELETE FROM magic_links WHERE expires_at <= ${limits.now}`;
  await query`DELETE FROM device_codes WHERE expires_at <= ${limits.codesBefore}`;
  await query`DELETE FROM code_tries WHERE last_at <= ${limits.codesBefore}`;
}

/** What a session in this account may do by its role; null where it has ended, moved on, or its seat is gone. */
export async function findSessionRole(
  query: Query,
  id: string,
  accountId: string,
): Promise<{ readonly role: Role; readonly mayDecide: boolean } | null> {
  const [row] = await query<{ role: Role; mayDecide: boolean }[]>`
    SELECT m.role, s.may_decide AS "mayDecide" FROM sessions s
    JOIN members m ON m.account_id = s.account_id AND m.id = s.member_id AND m.status = 'active'
    WHERE s.id = ${id} AND s.account_id = ${accountId}`;
  return row ?? null;
}
