import { createRequire } from 'node:module';
import { Postrider } from '@postrider/sdk';
import { startChild } from '../parts/child.ts';
import { describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import { sampleEmail } from '../parts/sample-email.ts';
import type { RespondingProcessReady } from './server-process.ts';

/** The maximum time of an SDK call, relative to a bare request. */
const BOUND = 2;
const KEY = 'pr_live_bench';

/** The parts used here. It is the SDK's own copy, so that both sides run the same code over the same kind of connection. */
interface Undici {
  readonly Agent: new (options: { readonly connections: number }) => { close(): Promise<void> };
  setGlobalDispatcher(agent: { close(): Promise<void> }): void;
  request(
    url: string,
    options: { readonly method: string; readonly headers: object; readonly body?: string },
  ): Promise<{ readonly statusCode: number; readonly body: { json(): Promise<unknown> } }>;
}
const SDK_MANIFEST = new URL('../../packages/sdk/package.json', import.meta.url);

type Call = (index: number) => Promise<unknown>;

/**
 * `pnpm bench sdk [--count N] [--rounds N]`: an SDK call compared with a bare `undici.request` that parses the same JSON, one at a time
 * over one connection, to a server that does nothing.
 */
export async function benchSdk(options: { readonly count: number; readonly rounds: number }): Promise<boolean> {
  const undici: Undici = createRequire(SDK_MANIFEST)('undici');
  const agent = new undici.Agent({ connections: 1 });
  undici.setGlobalDispatcher(agent);
  const server = await startChild<RespondingProcessReady>(new URL('./server-process.ts', import.meta.url), {});
  try {
    const baseUrl = `http://127.0.0.1:${server.ready.port}`;
    const client = new Postrider({ apiKey: KEY, baseUrl });
    console.log(describeMachine({}));
    console.log(`\none connection, ${options.count} calls of each a round, ${options.rounds} alternating rounds`);
    const reads = { bare: bareRead(undici, baseUrl), sdk: () => client.keys.self() };
    const sends = {
      bare: bareSend(undici, baseUrl),
      sdk: (index: number) => client.emails.send(sampleEmail(1, index)),
    };
    const reached = [
      await compare('read: keys.self', reads, options),
      await compare('send: emails.send', sends, options),
    ];
    console.log(`connections: ${await server.ask<number>('connections')}`);
    return reached.every(Boolean);
  } finally {
    await agent.close();
    await server.stop();
  }
}

function bareRead(undici: Undici, baseUrl: string): Call {
  const headers = { authorization: `Bearer ${KEY}`, accept: 'application/json' };
  return async () => (await undici.request(`${baseUrl}/keys/self`, { method: 'GET', headers })).body.json();
}

/** With an idempotency key, as in every send of the SDK. */
function bareSend(undici: Undici, baseUrl: string): Call {
  const headers = { authorization: `Bearer ${KEY}`, accept: 'application/json', 'content-type': 'application/json' };
  return async (index) => {
    const own = { ...headers, 'idempotency-key': `bare-${index}` };
    const body = JSON.stringify(sampleEmail(1, index));
    return (await undici.request(`${baseUrl}/emails`, { method: 'POST', headers: own, body })).body.json();
  };
}

async function compare(
  name: string,
  calls: { readonly bare: Call; readonly sdk: Call },
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<boolean> {
  const bareMs: number[] = [];
  const sdkMs: number[] = [];
  // The first round warms up both.
  for (let current = 0; current <= rounds; current += 1) {
    const [bare, sdk] = [await timeCalls(calls.bare, count), await timeCalls(calls.sdk, count)];
    if (current === 0) continue;
    bareMs.push(...bare);
    sdkMs.push(...sdk);
  }
  console.log(`\n${name}`);
  console.log(`  bare  ${describe(bareMs)}\n  sdk   ${describe(sdkMs)}`);
  const ratio = median(sdkMs) / median(bareMs);
  console.log(judge('a call of the SDK, in bare requests', ratio, BOUND, 'at most'));
  return ratio <= BOUND;
}

async function timeCalls(call: Call, count: number): Promise<readonly number[]> {
  const tookMs: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const began = performance.now();
    await call(index);
    tookMs.push(performance.now() - began);
  }
  return tookMs;
}

function describe(latenciesMs: readonly number[]): string {
  return `median ${round(median(latenciesMs), 3)} ms, p95 ${round(quantile(latenciesMs, 0.95), 3)} ms`;
}
