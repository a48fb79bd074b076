import { ALL_SCOPES, LIMITS, ROLES, type Role } from '@postrider/core';
import { beginSession } from '../../../packages/server/src/auth/sign-in.ts';
import { joinAs, signInAs, type TestSession } from '../../harness/session.ts';
import type { TestApp } from '../../harness/test-app.ts';

/** Who calls, as requests show it. `scheme` is the name the document has for the credential; null where it is none. */
export interface Credential {
  readonly name: string;
  readonly scheme: 'key' | 'session' | 'sessionToken' | null;
  readonly role: Role | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** An account with every kind of caller. */
export interface AccountWorld {
  readonly server: TestApp;
  readonly accountId: string;
  readonly owner: TestSession;
  readonly credentials: readonly Credential[];
  credential(name: string): Credential;
  /** Calls with the key that has every scope. @throws Error for anything but success */
  // biome-ignore lint/suspicious/noExplicitAny: fixtures read records of any shape
  make(method: string, path: string, body?: unknown): Promise<any>;
  /** Signs everyone in again: a session may have been ended. */
  renewSessions(): Promise<void>;
  /** A word that was not used before. */
  fresh(prefix: string): string;
}

const DEVICE = { mayDecide: true, from: { client: 'a test', address: '127.0.0.1' } };

let words = 0;

export async function createAccountWorld(server: TestApp, name: string): Promise<AccountWorld> {
  const emailOf = (role: Role) => `${name}-${role}@sandbox.test`;
  let owner = await signInAs(server, emailOf('owner'));
  const accountId = owner.account.id;
  const common = { accountId, rateLimit: LIMITS.keyRatePerMinuteMax };
  const full = await server.newKey({ ...common, scopes: ALL_SCOPES });
  const none = await server.newKey({ ...common, scopes: [] });
  const test = await server.newKey({ ...common, scopes: ALL_SCOPES, mode: 'test' });
  const held = await server.newKey({ ...common, scopes: ALL_SCOPES });
  const { sql } = server.database;
  await sql`UPDATE api_keys SET approval_mode = 'always' WHERE account_id = ${accountId} AND last4 = ${held.slice(-4)}`;
  for (const role of ROLES.filter((one) => one !== 'owner')) await joinAs(server, owner, role, emailOf(role));
  const keys = [
    ['a junk key', null, 'pr_live_nonsense'],
    ['a key with every scope', 'key', full],
    ['a key without scopes', 'key', none],
    ['a test key', 'key', test],
    ['a held key', 'key', held],
  ] as const;
  const constant: readonly Credential[] = [
    { name: 'no credential', scheme: null, role: null, headers: {} },
    ...keys.map(([keyName, scheme, secret]) => ({
      ...{ name: keyName, scheme, role: null, headers: { authorization: `Bearer ${secret}` } },
    })),
  ];
  const signIn = async (): Promise<readonly Credential[]> => {
    const { id: userId, memberId } = owner.user;
    const tools = { clock: server.clock, ids: server.app.services.database.ids };
    const seat = { accountId, memberId };
    const token = await server.app.sql.begin((transaction) =>
      beginSession(transaction, tools, { userId, seat, kind: 'device', how: 'device', ...DEVICE }),
    );
    const device: Credential = {
      ...{ name: 'a session token', scheme: 'sessionToken', role: 'owner' },
      headers: { authorization: `Bearer ${token}` },
    };
    const credentials = [...constant, device];
    for (const role of ROLES) {
      const { cookie } = await signInAs(server, emailOf(role));
      const headers = { cookie, origin: server.baseUrl };
      credentials.push({ name: `a session of role ${role}`, scheme: 'session', role, headers });
    }
    return credentials;
  };
  let credentials = await signIn();
  return {
    server,
    accountId,
    get owner() {
      return owner;
    },
    get credentials() {
      return credentials;
    },
    async renewSessions() {
      owner = await signInAs(server, emailOf('owner'));
      credentials = await signIn();
    },
    credential(wanted) {
      const found = credentials.find((one) => one.name === wanted);
      if (found === undefined) throw new Error(`there is no credential ${wanted}`);
      return found;
    },
    async make(method, path, body) {
      const response = await server.call(method, path, { key: full, ...(body === undefined ? {} : { body }) });
      if (response.status < 300) return response.body;
      throw new Error(`${method} ${path} failed: ${JSON.stringify(response.body)}`);
    },
    fresh: (prefix) => `${prefix}${++words}`,
  };
}
