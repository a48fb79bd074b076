import type { ErrorCode } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { findKeyByHash, touchKeys } from '../db/queries/api-keys.ts';
import { whenKnown } from '../when-known.ts';
import { hashApiKey, isWellFormedAccessToken, isWellFormedKey } from './api-key.ts';
import { type Caller, toCaller } from './caller.ts';
import { createExpiringCache } from './expiring-cache.ts';
import { isAddressAllowed } from './ip-allowlist.ts';
import { hasEndedAtOnce } from './secret-end.ts';

export type Authentication =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly code: ErrorCode; readonly detail: string };

export interface KeyAuthenticator {
  /**
   * Authenticates a request by its key. Returns the result itself if the key was read less than half a second ago.
   * @param header the request's `Authorization` header
   * @param address the client's address, as far as it can be trusted
   * @throws the database's errors
   */
  authenticate(header: string | undefined, address: string): Authentication | Promise<Authentication>;
  /** The same as `authenticate`, with the hash of the key's secret in base64. */
  authenticateHash(hash: string, address: string): Authentication | Promise<Authentication>;
  /** Returns the caller of the header's key without authorizing a request. Null if the key is unknown or no longer valid. */
  identify(header: string | undefined): Promise<Caller | null>;
  /** Clears the cache of keys and their accounts, so that a change made here takes effect at once. */
  forget(): void;
  /** Stores when keys were last used; called periodically and at shutdown. */
  flushUse(): Promise<void>;
}

const TOUCH_EVERY_MS = 60_000;
/** At this number of different headers, the stored hashes are discarded. */
const MAX_HASHED = 1_000;
/** A header can contain any number of spaces. */
const MAX_HEADER_CHARACTERS = 100;

export function createKeyAuthenticator(sql: Sql, clock: Clock): KeyAuthenticator {
  const memory = createExpiringCache<Caller | null>(clock);
  const used = new Map<string, Caller>();
  /** Hashes of valid keys by header, because hashing a key costs as much as routing a request. Cleared whenever use is stored. */
  const hashed = new Map<string, string>();

  function lookUp(hash: string): Caller | null | Promise<Caller | null> {
    return memory.recall(hash, async () => {
      const row = await findKeyByHash(sql, Buffer.from(hash, 'base64'));
      if (row === null) return null;
      const kind = row.tokenScopes === null ? 'secret' : 'token';
      return toCaller(row, { kind, hash, endsAt: row.secretEndsAt });
    });
  }

  function check(header = ''): Authentication | Promise<Authentication> {
    const known = hashed.get(header);
    if (known !== undefined) return checkHash(known);
    const secret = bearerOf(header);
    if (secret === null) return refuse('missing_key', 'The request has no `Authorization: Bearer` header.');
    if (!isWellFormedKey(secret) && !isWellFormedAccessToken(secret))
      return refuse('invalid_key', secret.startsWith('pr_access_') ? NO_TOKEN : NO_KEY);
    const hash = hashApiKey(secret).toString('base64');
    return whenKnown(checkHash(hash), (verdict) => {
      if (verdict.ok && header.length <= MAX_HEADER_CHARACTERS) {
        if (hashed.size >= MAX_HASHED) hashed.clear();
        hashed.set(header, hash);
      }
      return verdict;
    });
  }

  function checkHash(hash: string): Authentication | Promise<Authentication> {
    return whenKnown(lookUp(hash), (caller) =>
      caller === null
        ? refuse('invalid_key', 'This server does not know this key or access token.')
        : checkKey(caller, clock.now()),
    );
  }

  function checkAddress(verdict: Authentication, address: string): Authentication {
    if (!verdict.ok) return verdict;
    const { caller } = verdict;
    if (!isAddressAllowed(address, caller.ipAllowlist)) {
      return refuse('ip_not_allowed', `The key ending in ${caller.last4} may not be used from ${address}.`);
    }
    used.set(caller.keyId, caller);
    return verdict;
  }

  return {
    authenticate: (header, address) => whenKnown(check(header), (verdict) => checkAddress(verdict, address)),
    authenticateHash: (hash, address) => whenKnown(checkHash(hash), (verdict) => checkAddress(verdict, address)),
    async identify(header) {
      const verdict = await check(header);
      return verdict.ok ? verdict.caller : null;
    },
    forget: memory.forget,
    async flushUse() {
      hashed.clear();
      const now = clock.now();
      const due = [...used.values()].filter(
        ({ lastUsedAt }) => now.getTime() - (lastUsedAt?.getTime() ?? 0) >= TOUCH_EVERY_MS,
      );
      used.clear();
      if (due.length > 0) await touchKeys(sql, due, now);
    },
  };
}

/** A revoked key is refused at once, even if this process's clock is behind that of the process that revoked it. */
function checkKey(caller: Caller, now: Date): Authentication {
  if (caller.revokedAt !== null) {
    return refuse('key_revoked', `The key ending in ${caller.last4} was revoked on ${caller.revokedAt.toISOString()}.`);
  }
  if (caller.shown?.kind === 'token' && caller.row.grantorRole === null) {
    return refuse('key_revoked', `The user who allowed the program “${caller.keyName}” has left the team.`);
  }
  if (caller.shown?.kind === 'token' && caller.secretEndsAt !== null && caller.secretEndsAt <= now) {
    return refuse('key_expired', `The access token expired on ${caller.secretEndsAt.toISOString()}.`);
  }
  if (caller.secretEndsAt !== null && caller.secretEndsAt <= now) {
    const ended = hasEndedAtOnce(caller.secretEndsAt) ? 'immediately' : `on ${caller.secretEndsAt.toISOString()}`;
    return refuse('key_revoked', `This secret of the key “${caller.keyName}” was replaced, and ended ${ended}.`);
  }
  if (caller.expiresAt !== null && caller.expiresAt <= now) {
    return refuse('key_expired', `The key ending in ${caller.last4} expired on ${caller.expiresAt.toISOString()}.`);
  }
  return { ok: true, caller };
}

const NO_KEY = 'This is not a valid Postrider API key. Check for typing errors.';
const NO_TOKEN = 'This is not a valid access token of this server.';

/** RFC 6750: the scheme is case-insensitive. */
function bearerOf(header: string): string | null {
  const match = /^bearer +(\S+) *$/i.exec(header);
  return match?.[1] ?? null;
}

function refuse(code: ErrorCode, detail: string): Authentication {
  return { ok: false, code, detail };
}
