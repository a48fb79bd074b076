import { setTimeout as pause } from 'node:timers/promises';
import { judge, median, round } from '../parts/report.ts';
import { type Fleet, messageTo, PROCESSES, type TimedResponse } from './fleet.ts';

const BOUND_MS = 1_000;
/** After this time a change counts as never having taken effect. */
const GIVE_UP_MS = 5_000;
const AT_ONCE = 5;
/** How many more requests are sent after the first rejection: all of them must be rejected. */
const CONTINUES = 5;
const EVERY_MS = 10;

interface Change {
  readonly name: string;
  readonly make: (fleet: Fleet, maker: string, id: string) => Promise<TimedResponse>;
  /** The response to every later request. */
  readonly code: string;
}

const CHANGES: readonly Change[] = [
  {
    name: 'revoked',
    make: (fleet, key, id) => fleet.call(0, 'DELETE', `/keys/${id}`, { key }),
    code: 'key_revoked',
  },
  {
    name: 'rotated',
    make: (fleet, key, id) => fleet.call(0, 'POST', `/keys/${id}/rotate`, { key, body: {} }),
    code: 'key_revoked',
  },
  {
    name: 'narrowed',
    make: (fleet, key, id) =>
      fleet.call(0, 'PATCH', `/keys/${id}`, { key, body: { recipientAllowlist: ['@sandbox.test'] } }),
    code: 'recipient_not_allowed',
  },
  {
    name: 'paused',
    make: (fleet, key, id) => fleet.call(0, 'POST', `/keys/${id}/pause`, { key }),
    code: 'sending_paused',
  },
];

/** Changes keys on one process while all others use them. The change must take effect there within a second. */
export async function proveKeyChanges(fleet: Fleet, keys: number): Promise<boolean> {
  const { key: maker } = await fleet.newAccount();
  let isInTime = true;
  for (const change of CHANGES) {
    const seen: Seen[] = [];
    for (let done = 0; done < keys; done += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, keys - done) }, () => changeInUse(fleet, maker, change));
      seen.push(...(await Promise.all(some)));
    }
    const refusedMs = seen.map(({ refusedAfterMs }) => refusedAfterMs);
    console.log(
      `\n${keys} keys ${change.name} on one process and in use on ${PROCESSES - 1} others: the first refusal of the slowest process was there after ${round(median(refusedMs))} ms (median), ${round(Math.max(...refusedMs))} ms (worst)`,
    );
    const worst = Math.max(...seen.map(({ lastSentMs }) => lastSentMs));
    const late = seen.reduce((sum, one) => sum + one.acceptedAfterRefusal, 0);
    console.log(
      judge(
        `${change.name}: ms until the last send that was let through, worst of ${keys}`,
        worst,
        BOUND_MS,
        'at most',
      ),
    );
    console.log(judge(`${change.name}: sends let through by a process that had refused`, late, 0, 'at most'));
    isInTime = worst <= BOUND_MS && late === 0 && isInTime;
  }
  return isInTime;
}

/** Milliseconds from the response to the change until the slowest process applied it. */
interface Seen {
  /** When the last accepted request was sent: after that the change was in effect, however long responses take. */
  readonly lastSentMs: number;
  /** When the first refusal was received. */
  readonly refusedAfterMs: number;
  readonly acceptedAfterRefusal: number;
}

async function changeInUse(fleet: Fleet, maker: string, { make, code }: Change): Promise<Seen> {
  const body = { name: 'Changing', scopes: ['emails:send'], rateLimit: 100_000 };
  const { id, key } = (await fleet.call(0, 'POST', '/keys', { key: maker, body })).body;
  const change = { respondedMs: Number.POSITIVE_INFINITY };
  const users = Array.from({ length: PROCESSES - 1 }, (_, n) => use(fleet, n + 1, { key, code, change }));
  // All of them cache the key before it is changed.
  await Promise.all(users.map(({ known }) => known));
  const response = await make(fleet, maker, id);
  if (response.status !== 200) throw new Error(`a key could not be changed: ${JSON.stringify(response.body)}`);
  change.respondedMs = performance.now();
  const seen = await Promise.all(users.map(({ seen: one }) => one));
  return {
    lastSentMs: Math.max(...seen.map(({ lastSentMs }) => lastSentMs)),
    refusedAfterMs: Math.max(...seen.map(({ refusedAfterMs }) => refusedAfterMs)),
    acceptedAfterRefusal: seen.reduce((sum, one) => sum + one.acceptedAfterRefusal, 0),
  };
}

/** Sends with a key on one process until shortly after it is rejected there. */
function use(
  fleet: Fleet,
  server: number,
  { key, code, change }: { readonly key: string; readonly code: string; readonly change: { respondedMs: number } },
): { readonly known: Promise<void>; readonly seen: Promise<Seen> } {
  const known = Promise.withResolvers<void>();
  const seen = (async () => {
    let lastSentMs = 0;
    let refusedMs = Number.POSITIVE_INFINITY;
    let acceptedAfterRefusal = 0;
    for (let after = 0; after < CONTINUES; ) {
      const sentMs = performance.now();
      const response = await fleet.call(server, 'POST', '/emails', { key, body: messageTo(1, 'In use') });
      const hasRefused = refusedMs !== Number.POSITIVE_INFINITY;
      if (response.status === 202) {
        known.resolve();
        lastSentMs = sentMs;
        if (hasRefused) acceptedAfterRefusal += 1;
      } else if (response.body.code === code) refusedMs = Math.min(refusedMs, performance.now());
      else throw new Error(`a key in use returned ${JSON.stringify(response.body)}`);
      if (hasRefused) after += 1;
      else if (sentMs - change.respondedMs > GIVE_UP_MS) break;
      await pause(EVERY_MS);
    }
    const since = (ms: number) => Math.max(0, ms - change.respondedMs);
    return { lastSentMs: since(lastSentMs), refusedAfterMs: since(refusedMs), acceptedAfterRefusal };
  })();
  seen.catch(known.reject);
  return { known: known.promise, seen };
}
