import { hash } from 'node:crypto';
import { PROGRAM_SCOPES, type Scope } from '@postrider/core';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { deleteAccessToken, findAccessToken, findClientGrant, insertAccessToken } from '../db/queries/access-tokens.ts';
import {
  consumeOAuthRecord,
  deleteOAuthRecord,
  extendOAuthRecord,
  findOAuthRecord,
  trimOAuthRecords,
  writeOAuthRecord,
} from '../db/queries/oauth-records.ts';
import { usableScopes } from '../usable-scopes.ts';
import { presentEndpoint } from './endpoint-context.ts';
import { fromGrantId, type SignInRef, toGrantId } from './sign-in-ref.ts';

export interface OAuthStore {
  readonly sql: Sql;
  readonly clock: Clock;
  /** The addresses under which programs know the resource that tokens are for; the first is its name. */
  readonly resources: readonly string[];
  /** Ends a sign-in: its program signed out, or used a code or refresh token twice. */
  readonly endSignIn: (signIn: SignInRef, why: 'signed out' | 'token used twice') => Promise<void>;
}

/** Programs that registered and were never used are deleted after this time, and the oldest ones sooner beyond the number. */
const UNUSED_CLIENT_SECONDS = 90 * 86_400;
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
    if (kind === 'Client') return clientAdapter(store);
    return kind === 'Session' ? NOTHING_STORED : recordAdapter(kind, store);
  };
}

/** Tokens and ids are stored as SHA-256. */
export function hashOf(id: string): Buffer {
  return hash('sha256', id, 'buffer');
}

const nothing = () => Promise.resolve();
const nothingFound = () => Promise.resolve(undefined);

/** Users sign in to the console. Sessions of the library could decide without the user, so none is stored. */
const NOTHING_STORED: Adapter = {
  ...{ upsert: nothing, consume: nothing, destroy: nothing, revokeByGrantId: nothing },
  ...{ find: nothingFound, findByUserCode: nothingFound, findByUid: nothingFound },
};

function grantAdapter({ sql, clock, resources, endSignIn }: OAuthStore): Adapter {
  return {
    ...NOTHING_STORED,
    async find(id) {
      const signIn = fromGrantId(id);
      const grant = signIn === null ? null : await findClientGrant(sql, { ...signIn, now: clock.now() });
      if (grant === null || grant.signIn !== signIn?.signIn) return undefined;
      const scope = usableScopes(grant).join(' ');
      return {
        ...{ kind: 'Grant', jti: id, accountId: id, iat: secondsOf(grant.createdAt), clientId: grant.clientId ?? '' },
        resources: Object.fromEntries(resources.map((resource) => [resource, scope])),
        ...(grant.expiresAt === null ? {} : { exp: secondsOf(grant.expiresAt) }),
      };
    },
    async destroy(id) {
      const signIn = fromGrantId(id);
      if (signIn === null) return;
      await endSignIn(signIn, presentEndpoint()?.isRevocation === true ? 'signed out' : 'token used twice');
    },
  };
}

function accessTokenAdapter({ sql, clock, resources }: OAuthStore): Adapter {
  return {
    ...NOTHING_STORED,
    async upsert(id, { grantId, scope = '' }, seconds = 0) {
      const signIn = fromGrantId(grantId);
      if (signIn === null) throw new Error('an access token has no grant');
      const now = clock.now();
      await insertAccessToken(sql, {
        ...{ ...signIn, tokenHash: hashOf(id), scopes: scopesIn(scope), now, endsAt: after(now, seconds) },
        formerEndsAt: new Date(now.getTime() + FORMER_TOKEN_MS),
      });
    },
    async find(id) {
      const token = await findAccessToken(sql, { tokenHash: hashOf(id), now: clock.now() });
      if (token === null) return undefined;
      const grantId = toGrantId(token);
      const [iat, exp] = [secondsOf(token.createdAt), secondsOf(token.endsAt)];
      return {
        ...{ kind: 'AccessToken', jti: id, grantId, accountId: grantId, iat, exp },
        ...{ clientId: token.clientId ?? '', scope: token.scopes.join(' '), aud: resources[0] },
      };
    },
    destroy: async (id) => await deleteAccessToken(sql, hashOf(id)),
  };
}

/** Registered programs, and those with published metadata whose user was asked. */
function clientAdapter({ sql, clock }: OAuthStore): Adapter {
  return {
    ...NOTHING_STORED,
    async upsert(id, payload) {
      const now = clock.now();
      const expiresAt = after(now, UNUSED_CLIENT_SECONDS);
      const unowned = { accountId: null, keyId: null };
      await writeOAuthRecord(sql, {
        ...clientRecord(id),
        ...unowned,
        payload: JSON.stringify(payload),
        now,
        expiresAt,
      });
      await trimOAuthRecords(sql, { kind: 'Client', before: expiresAt, most: UNUSED_CLIENTS_MAX });
    },
    async find(id) {
      if (id.startsWith('https://') && presentEndpoint()?.usesStoredClients !== true) return undefined;
      const record = await findOAuthRecord(sql, { ...clientRecord(id), now: clock.now() });
      return record === null ? undefined : (record.payload as AdapterPayload); // The library stored it in this form.
    },
    destroy: async (id) => await deleteOAuthRecord(sql, clientRecord(id)),
  };
}

function clientRecord(id: string) {
  return { kind: 'Client', idHash: hashOf(id) };
}

/** Codes, refresh tokens and requests that wait for the user. */
function recordAdapter(kind: string, { sql, clock }: OAuthStore): Adapter {
  const named = (id: string) => ({ kind, idHash: hashOf(id) });
  return {
    ...NOTHING_STORED,
    async upsert(id, { jti: _secret, ...payload }, seconds = 0) {
      const now = clock.now();
      const expiresAt = after(now, seconds);
      const { accountId = null, keyId = null } = fromGrantId(payload.grantId) ?? {};
      await writeOAuthRecord(sql, { ...named(id), payload: JSON.stringify(payload), accountId, keyId, now, expiresAt });
      if (kind !== 'RefreshToken' || payload.clientId === undefined) return;
      await extendOAuthRecord(sql, { ...clientRecord(payload.clientId), expiresAt: after(now, USED_CLIENT_SECONDS) });
    },
    async find(id) {
      const record = await findOAuthRecord(sql, { ...named(id), now: clock.now() });
      if (record === null) return undefined;
      const { payload, consumedAt } = record;
      const consumed = consumedAt === null ? {} : { consumed: secondsOf(consumedAt) };
      return { ...(payload as AdapterPayload), jti: id, ...consumed }; // The library stored it in this form.
    },
    async consume(id) {
      if (await consumeOAuthRecord(sql, { ...named(id), now: clock.now() })) return;
      throw new errors.InvalidGrant('it was used a moment ago');
    },
    destroy: async (id) => await deleteOAuthRecord(sql, named(id)),
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
