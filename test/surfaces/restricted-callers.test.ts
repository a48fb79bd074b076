import { OPERATIONS, type Operation, type OperationId, refusedKind, resourceOf } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { callerFactsOf } from '../../packages/server/src/http/assert-reach.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { type SubmissionApp, sendBySmtp, startSubmissionApp } from '../harness/submission-client.ts';
import { type AccountWorld, createAccountWorld } from '../http/documented/account-world.ts';
import type { ValidRequest } from '../http/documented/valid-request.ts';
import { validRequest } from '../http/documented/valid-requests.ts';
import {
  KINDS,
  keptBy,
  makeCaller,
  type RestrictedCaller,
  type RestrictedKind,
  useUpLimit,
} from './restricted/callers.ts';
import { changedParts, readDecidedState } from './restricted/decided-state.ts';
import { operationSurfaces } from './restricted/every-surface.ts';
import {
  aimAt,
  changesOne,
  expectedCancellation,
  makeOwnMessage,
  mayCancel,
  OWN_STATES,
  type OwnState,
  readCancellation,
} from './restricted/own-messages.ts';

const ALL: readonly (Operation & { readonly id: OperationId })[] = OPERATIONS;
const RESOURCES = [...new Set(ALL.map(resourceOf))].filter((resource) => resource !== 'service');
const REFUSALS = ['permission_escalation', 'self_approval_forbidden'];
/** A user ends the session that a fixture needs, and nothing of an account changes by it. */
const APART: readonly string[] = ['auth.logout'];

/**
 * Every operation by every surface, as each kind of restricted key with every scope. A new operation takes part with the request that follows
 * from its declaration, or with its own: without either the test fails.
 */
describe('any call of a restricted key', () => {
  let server: SubmissionApp;
  let dns: TestDnsServer;
  let tried = 0;
  const triedIds = new Set<OperationId>();
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
    'sends nothing out and changes nothing decided: %s',
    { tags: ['holes.every-surface'], timeout: 120_000 },
    async (resource) => {
      const world = await newWorld(resource);
      const faults: string[] = [];
      for (const kind of KINDS) {
        const caller = await makeCaller(world, kind);
        // Their events would reach the fixtures' endpoints at some moment, and be taken for what a call caused.
        const hasOwn = kind.is === 'held' && resource !== 'webhooks';
        const own = hasOwn ? await makeOwnMessages(world, caller) : [];
        for (const operation of ALL.filter((one) => resourceOf(one) === resource && !APART.includes(one.id))) {
          faults.push(...(await tryEverySurface(operation, world, caller, own)));
        }
      }
      expect(faults).toEqual([]);
    },
  );

  it('is tried for every operation', { tags: ['holes.every-surface'] }, () => {
    const expected = ALL.filter((one) => RESOURCES.includes(resourceOf(one)) && !APART.includes(one.id));
    expect([...triedIds].sort()).toEqual(expected.map(({ id }) => id).sort());
  });

  it('sends nothing out over SMTP', { tags: ['holes.every-surface'] }, async () => {
    const world = await newWorld('smtp');
    for (const kind of KINDS) {
      const caller = await makeCaller(world, kind);
      await useUpLimit(world, caller);
      await settle();
      const before = await readDecidedState(server, world.accountId, caller.id);
      const mail = { from: 'a@sandbox.test', to: 'out@example.com', subject: 'Hi', text: 'Hi' };
      const { id } = await sendBySmtp(server, { key: caller.key }, mail);
      expect([kind.name, id === null]).toEqual([kind.name, ['allowlisted', 'limited', 'paused'].includes(kind.is)]);
      await settle();
      const after = await readDecidedState(server, world.accountId, caller.id);
      expect(changedParts(before, after, caller.keeps)).toEqual([]);
      tried += 1;
    }
  });

  it.each(OWN_STATES)(
    'changes nothing of its own message that is %s, but may cancel it while that stops mail',
    { tags: ['holes.own-decided'], timeout: 120_000 },
    async (state) => {
      const world = await newWorld(`own-${OWN_STATES.indexOf(state)}`);
      const faults: string[] = [];
      for (const kind of KINDS.filter(({ is }) => is === 'held')) {
        const caller = await makeCaller(world, kind);
        for (const operation of ALL.filter(changesOne)) {
          faults.push(...(await tryOnOwn(operation, world, caller, state)));
        }
      }
      expect(faults).toEqual([]);
    },
  );

  async function tryEverySurface(
    operation: Operation & { readonly id: OperationId },
    world: AccountWorld,
    caller: RestrictedCaller,
    own: readonly string[],
  ): Promise<readonly string[]> {
    const made = await validRequest(operation.id, world);
    const request: ValidRequest = JSON.parse(toOutbound(JSON.stringify(made)));
    await useUpLimit(world, caller);
    await settle();
    const faults: string[] = [];
    let before = await readDecidedState(server, world.accountId, caller.id, own);
    for (const surface of operationSurfaces(server)) {
      const ending = await surface.call(operation, request, caller.key);
      if (ending === null) continue;
      tried += 1;
      triedIds.add(operation.id);
      await settle();
      const after = await readDecidedState(server, world.accountId, caller.id, own);
      const changed = changedParts(before, after, keptBy(caller, operation.id));
      before = after;
      const name = `${operation.id} over ${surface.name} by ${caller.name}`;
      if (changed.length > 0) faults.push(`${name} changed ${changed.join(', ')} (${ending})`);
      if (mustRefuse(operation, caller) && !REFUSALS.includes(ending)) faults.push(`${name} ended with ${ending}`);
    }
    return faults;
  }

  async function tryOnOwn(
    operation: Operation & { readonly id: OperationId },
    world: AccountWorld,
    caller: RestrictedCaller,
    state: OwnState,
  ): Promise<readonly string[]> {
    const made = await validRequest(operation.id, world);
    const faults: string[] = [];
    let message = await makeOwnMessage(world, caller, state);
    for (const surface of operationSurfaces(server)) {
      const request = aimAt(operation.id, made, message);
      await settle();
      const before = await readDecidedState(server, world.accountId, caller.id, [message.id]);
      const ending = await surface.call(operation, request, caller.key);
      if (ending === null) continue;
      tried += 1;
      await settle();
      const name = `${operation.id} over ${surface.name} by ${caller.name} on one that is ${state}`;
      if (mayCancel(operation.id, message)) {
        const [found, expected] = [await readCancellation(world, message), expectedCancellation(message, caller.id)];
        if (JSON.stringify(sorted(found)) !== JSON.stringify(sorted(expected))) {
          faults.push(`${name} (${ending}) left ${JSON.stringify(found)}`);
        }
        message = await makeOwnMessage(world, caller, state);
        continue;
      }
      const after = await readDecidedState(server, world.accountId, caller.id, [message.id]);
      const changed = changedParts(before, after, caller.keeps);
      if (changed.length > 0) faults.push(`${name} changed ${changed.join(', ')} (${ending})`);
    }
    return faults;
  }

  function mustRefuse(operation: Operation, { is }: RestrictedKind): boolean {
    const kind = {
      ...{ role: null, isDevice: false },
      ...{
        isHeld: is === 'held',
        isTest: is === 'test',
        isAllowlisted: is === 'allowlisted',
        isLimited: is === 'limited',
        isPaused: is === 'paused',
      },
    };
    return (
      operation.access.kind === 'key' &&
      refusedKind(operation, kind satisfies ReturnType<typeof callerFactsOf>) !== null
    );
  }

  /** One in each state. */
  async function makeOwnMessages(world: AccountWorld, caller: RestrictedCaller): Promise<readonly string[]> {
    const made: string[] = [];
    for (const state of OWN_STATES) made.push((await makeOwnMessage(world, caller, state)).id);
    await settle();
    return made;
  }

  async function newWorld(name: string): Promise<AccountWorld> {
    return outboundWorld(await createAccountWorld(server, `restricted-${name.replaceAll(' ', '-')}`));
  }

  /** Everything that is due has been worked on. */
  async function settle(): Promise<void> {
    await expect
      .poll(
        async () => {
          await server.pump();
          const [row] = await server.database.sql`
            SELECT count(*)::int AS due FROM messages
            WHERE status = 'sending' OR (status = 'queued' AND coalesce(scheduled_at, '-infinity') <= ${server.clock.now()})`;
          return row?.['due'];
        },
        { interval: 10 },
      )
      .toBe(0);
  }
});

/** Test addresses never leave, so mail goes to one that would. */
function toOutbound(text: string): string {
  return text.replaceAll('delivered@sandbox.test', 'out@example.com');
}

function outboundWorld(world: AccountWorld): AccountWorld {
  return {
    ...world,
    credential: (name) => world.credential(name),
    make: (method, path, body) =>
      world.make(method, path, body === undefined ? undefined : JSON.parse(toOutbound(JSON.stringify(body)))),
  };
}

function sorted(record: Readonly<Record<string, unknown>> | undefined): unknown {
  return Object.entries(record ?? {}).toSorted(([a], [b]) => a.localeCompare(b));
}
