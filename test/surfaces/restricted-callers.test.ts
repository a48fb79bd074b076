import { OPERATIONS, type Operation, type OperationId, refusedKind, resourceOf } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { callerFactsOf } from '../../packages/server/src/http/assert-reach.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { type SubmissionApp, sendBySmtp, startSubmissionApp } from '../harness/submission-client.ts';
import { type AccountWorld, createAccountWorld } from '../http/documented/account-world.ts';
import { VALID_REQUESTS, type ValidRequest } from '../http/documented/valid-requests.ts';
import { readDecidedState } from './restricted/decided-state.ts';
import { operationSurfaces } from './restricted/every-surface.ts';

const ALL: readonly (Operation & { readonly id: OperationId })[] = OPERATIONS;
const RESOURCES = [...new Set(ALL.map(resourceOf))].filter((resource) => resource !== 'service');
const CALLERS = ['a held key', 'a test key'] as const;
const REFUSALS = ['permission_escalation', 'self_approval_forbidden'];
/** A user ends the session that a fixture needs, and nothing of an account changes by it. */
const APART: readonly string[] = ['auth.logout'];

/**
 * Every operation by every surface, as a held key and as a test key with every scope. The fixtures are a total map over the registry, so that a new
 * operation takes part or does not compile.
 */
describe('whatever a restricted key calls', () => {
  let server: SubmissionApp;
  let dns: TestDnsServer;
  let tried = 0;
  beforeAll(async () => {
    dns = await startDnsServer();
    server = await startSubmissionApp({ dnsServers: [dns.address] });
  });
  afterAll(async () => {
    console.log(`${tried} calls by restricted keys over every surface`);
    await server.close();
    await dns.close();
  });

  it.each(RESOURCES)(
    'lets nothing leave and changes nothing decided: %s [holes.every-surface]',
    async (resource) => {
      const world = await outboundWorld(await createAccountWorld(server, `restricted-${resource}`));
      const faults: string[] = [];
      for (const operation of ALL.filter((one) => resourceOf(one) === resource && !APART.includes(one.id))) {
        for (const caller of CALLERS) faults.push(...(await tryEverySurface(operation, world, caller)));
      }
      expect(faults).toEqual([]);
    },
    120_000,
  );

  it.each(CALLERS)('lets nothing leave over SMTP: %s [holes.every-surface]', async (caller) => {
    const world = await createAccountWorld(server, `restricted-smtp-${caller.replaceAll(' ', '-')}`);
    const { key, id } = await secretOf(world, caller);
    const before = await readDecidedState(server, world.accountId, id);
    const mail = { from: 'a@sandbox.test', to: 'out@example.com', subject: 'Hi', text: 'Hi' };
    expect((await sendBySmtp(server, { key }, mail)).id).not.toBeNull();
    await settle();
    expect(await readDecidedState(server, world.accountId, id)).toEqual(before);
    tried += 1;
  });

  async function tryEverySurface(
    operation: Operation & { readonly id: OperationId },
    world: AccountWorld,
    caller: (typeof CALLERS)[number],
  ): Promise<readonly string[]> {
    const { key, id } = await secretOf(world, caller);
    const made = await VALID_REQUESTS[operation.id](world);
    const request: ValidRequest = JSON.parse(toOutbound(JSON.stringify(made)));
    await settle();
    const faults: string[] = [];
    for (const surface of operationSurfaces(server)) {
      const before = await readDecidedState(server, world.accountId, id);
      const ending = await surface.call(operation, request, key);
      if (ending === null) continue;
      tried += 1;
      await settle();
      const after = await readDecidedState(server, world.accountId, id);
      const changed = Object.keys(before).filter(
        (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
      );
      const name = `${operation.id} over ${surface.name} by ${caller}`;
      if (changed.length > 0) faults.push(`${name} changed ${changed.join(', ')} (${ending})`);
      if (mustRefuse(operation, caller) && !REFUSALS.includes(ending)) faults.push(`${name} ended with ${ending}`);
    }
    return faults;
  }

  function mustRefuse(operation: Operation, caller: (typeof CALLERS)[number]): boolean {
    const facts = { role: null, isDevice: false, isAllowlisted: false, isLimited: false };
    const kind = { ...facts, isHeld: caller === 'a held key', isTest: caller === 'a test key' };
    return (
      operation.access.kind === 'key' &&
      refusedKind(operation, kind satisfies ReturnType<typeof callerFactsOf>) !== null
    );
  }

  async function secretOf(world: AccountWorld, caller: string) {
    const key = world.credential(caller).headers['authorization']?.slice('Bearer '.length) ?? '';
    const { body } = await server.call('GET', '/keys/self', { key });
    return { key, id: body.id as string };
  }

  /** Everything that is due has been worked on. */
  async function settle(): Promise<void> {
    await expect
      .poll(async () => {
        await server.pump();
        const [row] = await server.database.sql`
          SELECT count(*)::int AS due FROM messages
          WHERE status = 'sending' OR (status = 'queued' AND coalesce(scheduled_at, '-infinity') <= ${server.clock.now()})`;
        return row?.['due'];
      })
      .toBe(0);
  }
});

/** Test addresses never leave, so mail goes to one that would. */
function toOutbound(text: string): string {
  return text.replaceAll('delivered@sandbox.test', 'out@example.com');
}

async function outboundWorld(world: AccountWorld): Promise<AccountWorld> {
  return {
    ...world,
    credential: (name) => world.credential(name),
    make: (method, path, body) =>
      world.make(method, path, body === undefined ? undefined : JSON.parse(toOutbound(JSON.stringify(body)))),
  };
}
