import { hash } from 'node:crypto';
import { PROGRAM_SCOPES, type Scope, scopesOfRole } from '@postrider/core';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import {
  deleteAccessToken,
  deleteAccessTokensOf,
  findAccessToken,
  findClientGrant,
  insertAccessToken,
} from '../db/queries/access-tokens.ts';
import {
  consumeOAuthRecord,
  deleteOAuthRecord,
  deleteOAuthRecordsOf,
  extendOAuthRecord,
  findOAuthRecord,
  trimOAuthRecords,
  writeOAuthRecord,
} from '../db/queries/oauth-records.ts';
import { fromSubject, toSubject } from './grant-name.ts';

export interface OAuthStore {
  readonly sql: Sql;
  readonly clock: Clock;
  /** The addresses under which programs know the resource that tokens are for. */
  readonly resources: readonly string[];
  /** Revokes the key of a grant that ended: its program signed out, or a code or refresh token was used twice. */
  readonly endGrant: (keyId: string) => Promise<void>;
}

/** Programs that registered and were not used are forgotten after a day, and the oldest sooner beyond this number. */
const UNUSED_CLIENT_SECONDS = 86_400;
const UNUSED_CLIENTS_MAX = 10_000;
const USED_CLIENT_SECONDS = 400 * 86_400;
/** Requests that are running while the program gets a new token may still present the former one. */
const FORMER_TOKEN_MS = 60_000;

/**
 * Where the authorization server keeps its state. A grant is no record of its own: it is read from the key, so it ends with the key and
 * never has more scopes than the key and the role of its user. Access tokens are credentials of the key. Everything else is a row that
 * expires.
 */
export function createOAuthAdapter(store: OAuthStore): (kind: string) => Adapter {
  return (kind) => {
    if (kind === 'Grant') return grantAdapter(store);
    if (kind === 'AccessToken') return accessTokenAdapter(store);
    return kind === 'Session' ? NO_SESSIONS : recordAdapter(kind, store);
  };
}

/** The SHA-256 under which tokens and ids are stored. */
function hashOf(id: string): Buffer {
  return hash('sha256', id, 'buffer');
}

const NOT_LOOKED_UP = {
  findByUserCode: () => Promise.resolve(undefined),
  findByUid: () => Promise.resolve(undefined),
} as const;

/** Users sign in to the console. The library’s own sessions, which could skip the question, are never stored. */
const NO_SESSIONS: Adapter = {
  ...NOT_LOOKED_UP,
  upsert: () => Promise.resolve(),
  find: () => Promise.resolve(undefined),
  consume: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
  revokeByGrantId: () => Promise.resolve(),
};

function grantAdapter({ sql, clock, resources, endGrant }: OAuthStore): Adapter {
  return {
    ...NOT_LOOKED_UP,
    // Consent stored the key already.
    upsert: () => Promise.resolve(),
    async find(keyId) {
      const grant = await findClientGrant(sql, keyId, clock.now());
      if (grant === null) return undefined;
      const ofRole = scopesOfRole(grant.role);
      const scope = grant.scopes.filter((name) => ofRole.includes(name)).join(' ');
      return {
        ...{ kind: 'Grant', jti: keyId, accountId: toSubject(grant), iat: secondsOf(grant.createdAt) },
        clientId: grant.clientId ?? '',
        resources: Object.fromEntries(resources.map((resource) => [resource, scope])),
        ...(grant.expiresAt === null ? {} : { exp: secondsOf(grant.expiresAt) }),
      };
    },
    consume: () => Promise.resolve(),
    destroy: endGrant,
    revokeByGrantId: () => Promise.resolve(),
  };
}

function accessTokenAdapter({ sql, clock, resources }: OAuthStore): Adapter {
  return {
    ...NOT_LOOKED_UP,
    async upsert(id, { accountId: subject, scope = '' }, seconds = 0) {
      const now = clock.now();
      await insertAccessToken(sql, {
        ...{ ...fromSubject(subject), tokenHash: hashOf(id), scopes: scopesIn(scope), now },
        endsAt: after(now, seconds),
        formerEndsAt: new Date(now.getTime() + FORMER_TOKEN_MS),
      });
    },
    async find(id) {
      const token = await findAccessToken(sql, { tokenHash: hashOf(id), now: clock.now() });
      if (token === null) return undefined;
      const [iat, exp] = [secondsOf(token.createdAt), secondsOf(token.endsAt)];
      return {
        ...{ kind: 'AccessToken', jti: id, grantId: token.keyId, accountId: toSubject(token), iat, exp },
        ...{ clientId: token.clientId ?? '', scope: token.scopes.join(' '), aud: resources[0] },
      };
    },
    consume: () => Promise.resolve(),
    destroy: async (id) => await deleteAccessToken(sql, hashOf(id)),
    revokeByGrantId: async (keyId) => await deleteAccessTokensOf(sql, keyId),
  };
}

function recordAdapter(kind: string, { sql, clock }: OAuthStore): Adapter {
  const named = (id: string) => ({ kind, idHash: hashOf(id) });
  return {
    ...NOT_LOOKED_UP,
    async upsert(id, { jti: _secret, ...payload }, seconds) {
      const now = clock.now();
      const expiresAt = after(now, seconds ?? UNUSED_CLIENT_SECONDS);
      const { grantId: keyId = null, clientId } = payload;
      await writeOAuthRecord(sql, { ...named(id), payload: JSON.stringify(payload), keyId, now, expiresAt });
      if (kind === 'Client') await trimOAuthRecords(sql, kind, UNUSED_CLIENTS_MAX);
      if (kind === 'RefreshToken' && clientId !== undefined) {
        const keptUntil = after(now, USED_CLIENT_SECONDS);
        await extendOAuthRecord(sql, { kind: 'Client', idHash: hashOf(clientId), expiresAt: keptUntil });
      }
    },
    async find(id) {
      const record = await findOAuthRecord(sql, { ...named(id), now: clock.now() });
      if (record === null) return undefined;
      const { payload, consumedAt } = record;
      // The library stored it in this form.
      const stored = payload as AdapterPayload;
      if (kind === 'Client') return stored;
      return { ...stored, jti: id, ...(consumedAt === null ? {} : { consumed: secondsOf(consumedAt) }) };
    },
    async consume(id) {
      if (await consumeOAuthRecord(sql, { ...named(id), now: clock.now() })) return;
      throw new errors.InvalidGrant('it was used a moment ago');
    },
    destroy: async (id) => await deleteOAuthRecord(sql, named(id)),
    // Codes and refresh tokens are deleted together. What was used is known as such until then.
    revokeByGrantId: async (keyId) => await deleteOAuthRecordsOf(sql, keyId),
  };
}

/** The scopes of a token that the server knows. */
function scopesIn(scope: string): readonly Scope[] {
  const names = scope.split(' ');
  return PROGRAM_SCOPES.filter((known) => names.includes(known));
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1_000);
}
