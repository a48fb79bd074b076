import { judge, round } from '../parts/report.ts';
import { CLIENTS, eachClient, type Fleet, type TimedResponse } from './fleet.ts';

/** Requests per minute. */
const LIMITS = [7, 113, 600, 2_000];
/** How long the clients continue after the first rejection: everything refilled in that time must be accepted, and nothing beyond. */
const BEYOND_MS = 3_000;

/**
 * All clients send to all processes as fast as they get responses: first until the minute's allowance is used up, then against the refill.
 * The generic cell rate algorithm determines how many are accepted: the allowance, plus a sixtieth of it per second since the first
 * request.
 */
export async function proveRates(fleet: Fleet): Promise<boolean> {
  const { key: maker } = await fleet.newAccount();
  let isExact = true;
  for (const rateLimit of LIMITS) {
    const made = await fleet.call(0, 'POST', '/keys', {
      key: maker,
      body: { name: 'Limited', scopes: ['account:read'], rateLimit },
    });
    isExact = (await proveRate(fleet, made.body.key, rateLimit)) && isExact;
  }
  return isExact;
}

async function proveRate(fleet: Fleet, key: string, limit: number): Promise<boolean> {
  const responses: Timed[] = [];
  let endsAtMs = Number.POSITIVE_INFINITY;
  await eachClient(async (client) => {
    for (let n = 0; performance.now() < endsAtMs; n += 1) {
      const sentMs = performance.now();
      const response = await fleet.call(client + n, 'GET', '/keys/self', { key });
      responses.push({ sentMs, respondedMs: performance.now(), response });
      if (response.status === 429 && endsAtMs === Number.POSITIVE_INFINITY) endsAtMs = performance.now() + BEYOND_MS;
    }
  });
  const { least, most, gone, refused, others, withoutResponse } = count(responses, limit);
  console.log(
    `\nrate of ${round(limit)} a minute, ${CLIENTS} clients: ${round(gone)} were accepted in ${round(spanMs(responses) / 1_000, 1)} s, ${round(refused)} were refused, ${round(withoutResponse)} had no response in time; ${round(least)} to ${round(most)} are allowed, depending on when they were counted`,
  );
  const found = [
    [`rate of ${limit}: requests beyond the allowance`, Math.max(0, gone - most)],
    [`rate of ${limit}: requests short of the allowance`, Math.max(0, least - gone - withoutResponse)],
    [`rate of ${limit}: responses that are neither 200 nor 429`, others],
  ] as const;
  for (const [what, value] of found) console.log(judge(what, value, 0, 'at most'));
  return found.every(([, value]) => value === 0);
}

interface Timed {
  readonly sentMs: number;
  readonly respondedMs: number;
  readonly response: TimedResponse;
}

/**
 * Calculates bounds from timing, because a request is counted at an unknown time between sending and response. `most` assumes the longest
 * possible refill time: from sending the first request to the last accepted response. `least` uses rejections: when one occurred, the whole
 * refill up to its sending was used.
 */
function count(responses: readonly Timed[], limit: number) {
  const of = (status: number) => responses.filter(({ response }) => response.status === status);
  const [went, refused] = [of(200), of(429)];
  const refill = (ms: number) => Math.floor((Math.max(0, ms) * limit) / 60_000);
  const firstSentMs = Math.min(...responses.map(({ sentMs }) => sentMs));
  const firstRespondedMs = Math.min(...responses.map(({ respondedMs }) => respondedMs));
  const lastGoneMs = Math.max(...went.map(({ respondedMs }) => respondedMs));
  const lastRefusedMs = Math.max(...refused.map(({ sentMs }) => sentMs));
  return {
    most: limit + refill(lastGoneMs - firstSentMs),
    least: limit + refill(lastRefusedMs - firstRespondedMs),
    gone: went.length,
    refused: refused.length,
    others: responses.length - went.length - refused.length,
    // Each of them may have been counted.
    withoutResponse: responses.reduce((sum, { response }) => sum + response.withoutResponse, 0),
  };
}

function spanMs(responses: readonly Timed[]): number {
  return Math.max(...responses.map((one) => one.respondedMs)) - Math.min(...responses.map((one) => one.sentMs));
}
