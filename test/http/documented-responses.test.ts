import { OPERATIONS, type Operation, type OperationId, resourceOf } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { OIDC_CLIENT, type RunningProvider, startOidcProvider } from '../harness/oidc-provider.ts';
import { type SeededRandom, seededRandom } from '../harness/seeded-random.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type AccountWorld, type Credential, createAccountWorld } from './documented/account-world.ts';
import { closeConnections, exchange } from './documented/http-exchange.ts';
import { openDocument } from './documented/openapi-checker.ts';
import type { ValidRequest } from './documented/valid-request.ts';
import { validRequest } from './documented/valid-requests.ts';
import { toRequest, VARIATIONS } from './documented/variations.ts';

/** The same requests in every run; POSTRIDER_TEST_SEED asks others, and POSTRIDER_FUZZ_ROUNDS more for each operation. */
const SEED = 92;
const ROUNDS = Number(process.env['POSTRIDER_FUZZ_ROUNDS'] ?? 2);
const MINUTE_MS = 60_000;

/** What may end a session that the fixtures need. */
const ENDS_SESSIONS: ReadonlySet<string> = new Set(['auth.logout', 'sessions.end-others']);

const OF_405 = [
  ...['allow', 'cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive'],
  ...['x-content-type-options', 'x-request-id'],
];

const document = openDocument();
const variations = Object.keys(VARIATIONS) as [string, ...string[]]; // There is at least the valid one.
const resources = [...new Set(OPERATIONS.map((operation) => resourceOf(operation)))];

describe('responses and the OpenAPI document', () => {
  let server: TestApp;
  let dns: TestDnsServer;
  let provider: RunningProvider;
  let stranger: AccountWorld;
  let requests = 0;
  beforeAll(async () => {
    dns = await startDnsServer();
    provider = await startOidcProvider(() => `${server.baseUrl}/auth/oauth/oidc/callback`);
    server = await startTestApp({
      dnsServers: [dns.address],
      settings: {
        POSTRIDER_OIDC_ISSUER: provider.issuer,
        POSTRIDER_OIDC_CLIENT_ID: OIDC_CLIENT.id,
        POSTRIDER_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
      },
    });
    stranger = await createAccountWorld(server, 'stranger');
  });
  afterAll(async () => {
    console.log(`${requests} requests to ${OPERATIONS.length} operations`);
    closeConnections();
    await server.close();
    await provider.close();
    await dns.close();
  });

  it.each(resources)(
    'of %s agree, for every caller and for broken requests',
    { tags: ['holes.documented-answers'], timeout: 120_000 },
    async (resource) => {
      const world = await createAccountWorld(server, resource);
      const random = seededRandom(`requests of ${resource}`, SEED);
      const faults: string[] = [];
      for (const operation of OPERATIONS.filter((one) => resourceOf(one) === resource)) {
        faults.push(...(await tryOperation(operation, world, random)));
      }
      expect(faults).toEqual([]);
    },
  );

  async function tryOperation(
    operation: Operation & { readonly id: OperationId },
    world: AccountWorld,
    random: SeededRandom,
  ): Promise<string[]> {
    const best = bestCredential(operation, world);
    const [first, ...others] = world.credentials;
    if (first === undefined) throw new Error('an account without credentials');
    const plan = [
      ...callersWorthTrying(operation, world).map((credential) => ['valid', credential] as const),
      ...variations.filter((variation) => variation !== 'valid').map((variation) => [variation, best] as const),
      ...Array.from({ length: ROUNDS }, () => [random.pick(variations), random.pick([first, ...others])] as const),
    ];
    const foreign = operation.params === undefined ? undefined : (await validRequest(operation.id, stranger)).params;
    const faults: string[] = [];
    let given = await validRequest(operation.id, world);
    let isSpent = false;
    for (const [variation, credential] of plan) {
      if (operation.anonymousLimits !== undefined) server.clock.advance(MINUTE_MS);
      // What a request has changed is no fixture for another valid one.
      if (isSpent && variation === 'valid') given = await validRequest(operation.id, world);
      const { faults: found, isServed } = await tryRequest({
        ...{ operation, variation, credential, given, foreign, random, best },
      });
      isSpent ||= isServed && operation.effect !== 'read';
      faults.push(...found.map((fault) => `${operation.id}, ${variation}, ${credential.name}: ${fault}`));
      if (ENDS_SESSIONS.has(operation.id) && isServed) await world.renewSessions();
    }
    return faults;
  }

  async function tryRequest({
    operation,
    variation,
    credential,
    given,
    foreign,
    random,
    best,
  }: {
    readonly operation: Operation;
    readonly variation: string;
    readonly credential: Credential;
    readonly given: ValidRequest;
    readonly foreign: Readonly<Record<string, string>> | undefined;
    readonly random: SeededRandom;
    readonly best: Credential;
  }): Promise<{ readonly faults: readonly string[]; readonly isServed: boolean }> {
    const request = toRequest(variation, { operation, given, foreign, headers: credential.headers, random });
    if (request === null) return { faults: [], isServed: false };
    requests += 1;
    const response = await exchange(server.baseUrl, request);
    const faults = document.responseFaults(operation, response);
    const isServed = response.status < 400;
    if (!accepts(operation, credential) && isServed) faults.push(`${response.status} without a documented credential`);
    if (variation !== 'valid') return { faults, isServed };
    faults.push(...document.requestFaults(operation, request.json).map((fault) => `the valid body: ${fault}`));
    faults.push(...accessFaults(operation, credential, response.status));
    if (credential === best && !isServed) faults.push(`${response.status} for a valid request: ${response.body}`);
    return { faults, isServed };
  }

  it('of other methods are 405 with the documented methods, and of other paths 404', async () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const allowed = item['x-allow'];
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        if (allowed.includes(method)) continue;
        const url = path.replaceAll(/\{\w+\}/g, '0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a');
        const { status, headers } = await exchange(server.baseUrl, { method, path: url, headers: {} });
        expect([method, path, status, headers['allow']?.split(', ').sort()]).toEqual([
          method,
          path,
          405,
          [...allowed].sort(),
        ]);
        expect(Object.keys(headers).filter((name) => !OF_405.includes(name))).toEqual([]);
      }
    }
    const { status } = await exchange(server.baseUrl, { method: 'GET', path: '/nothing/here', headers: {} });
    expect(status).toBe(404);
  });
});

/** Whether a public operation without any use for a session is called by one role or another makes no difference. */
function callersWorthTrying(operation: Operation, world: AccountWorld): readonly Credential[] {
  if (document.describedAs(operation).security.length > 0) return world.credentials;
  return world.credentials.filter(({ role }) => role === null || role === 'owner');
}

/** Who may do most with an operation, of those whom the document lets call it. */
function bestCredential(operation: Operation, world: AccountWorld): Credential {
  const names = ['a key with every scope', 'a session of role owner', 'no credential'];
  const found = names.map((name) => world.credential(name)).find((credential) => accepts(operation, credential));
  if (found === undefined) throw new Error(`no one may call ${operation.id}`);
  return found;
}

/** Whether the document lets a request with this credential in. */
function accepts(operation: Operation, { scheme }: Credential): boolean {
  const { security } = document.describedAs(operation);
  if (security.length === 0) return true;
  return security.some((one) => Object.keys(one).length === 0 || (scheme !== null && scheme in one));
}

/** A valid request is 401 where its credential is not documented and only there, and 403 where scope or role do not allow it. */
function accessFaults(operation: Operation, credential: Credential, status: number): string[] {
  const { 'x-scope': scope, 'x-roles': roles } = document.describedAs(operation);
  if (!accepts(operation, credential)) return status === 401 ? [] : [`${status} where 401 is documented`];
  if (status === 401) return ['401 for a credential that is documented'];
  if (credential.name === 'a key without scopes' && scope !== undefined && status !== 403) {
    return [`${status} without the scope ${scope}`];
  }
  if (credential.role === null || roles === undefined) return [];
  const isAllowed = roles.includes(credential.role);
  return isAllowed === (status !== 403) ? [] : [`${status} for the role ${credential.role}`];
}
