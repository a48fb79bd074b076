import { setTimeout as pause } from 'node:timers/promises';
import type { ApiConnection } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { CliFailure, ownFailure } from '../failure.ts';
import { type JsonRecord, recordsOf, textOf } from '../output/json-value.ts';
import type { Output } from '../output/output.ts';
import { showDomain } from '../output/views/domain.ts';
import { createWatchView, type WatchView } from '../output/watch-view.ts';

/** Resolvers cache the absence of a record for minutes, so more frequent checks would only burden them. */
const FIRST_PAUSE_MS = 2_000;
const PAUSE_GROWTH = 1.5;
const LONGEST_PAUSE_MS = 60_000;
/** How often the countdown is redrawn. */
const TICK_MS = 1_000;

interface Watched {
  readonly id: string;
  readonly seconds: number;
}

/** Verifies a domain repeatedly until it passes or the time is up. A temporary error does not end the watch. */
export async function watchDomain(
  { id, seconds }: Watched,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const endMs = performance.now() + seconds * 1_000;
  const view = createWatchView(io, output);
  let domain: JsonRecord | null = null;
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * PAUSE_GROWTH, LONGEST_PAUSE_MS)) {
      const check = await checkOnce(id, connection);
      domain = check.domain ?? domain;
      if (domain?.['status'] === 'verified') break;
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) break;
      await showCountdown(domain, check.error, Math.min(pauseMs, leftMs), view, io.signal);
    }
  } finally {
    view.end();
  }
  if (domain !== null && output.isJson) output.writeJson(domain);
  else if (domain !== null) showDomain(domain, output);
  if (domain?.['status'] === 'verified') return EXIT_CODES.done;
  throw watchOver(domain, id, seconds);
}

interface CheckResult {
  readonly domain: JsonRecord | null;
  /** A temporary error, or null. */
  readonly error: string | null;
}

async function checkOnce(id: string, connection: ApiConnection): Promise<CheckResult> {
  try {
    const { record } = await connection.call('domains.verify', { params: { id } });
    return { domain: record, error: null };
  } catch (failure) {
    if (!(failure instanceof CliFailure) || !failure.problem.retryable) throw failure;
    return { domain: null, error: failure.problem.detail };
  }
}

async function showCountdown(
  domain: JsonRecord | null,
  error: string | null,
  pauseMs: number,
  view: WatchView,
  signal: AbortSignal | undefined,
): Promise<void> {
  const endMs = performance.now() + pauseMs;
  for (let leftMs = pauseMs; leftMs > 0; leftMs = endMs - performance.now()) {
    view.show(domain, { error, seconds: Math.ceil(leftMs / 1_000) });
    await pause(Math.min(TICK_MS, leftMs), undefined, signal === undefined ? {} : { signal });
  }
}

function watchOver(domain: JsonRecord | null, id: string, seconds: number): CliFailure {
  const missing = recordsOf(domain?.['records'])
    .filter(({ required, status }) => required === true && status !== 'pass')
    .map(({ type, host }) => `${textOf(type)} ${textOf(host)}`);
  const state = domain === null ? 'its status could not be read' : `it is ${textOf(domain['status'])}`;
  const missingText = missing.length === 0 ? '' : `; records missing or wrong: ${missing.join(', ')}`;
  const name = textOf(domain?.['name']) || id;
  return ownFailure(
    EXIT_CODES.waitTimedOut,
    'wait_timed_out',
    'The domain was not verified in time',
    `after ${seconds} s ${state}${missingText}`,
    `The server keeps checking. See the status: postrider domains get ${name}`,
    true,
  );
}
