import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Sql } from '../db/client.ts';
import { readAttachments } from '../db/queries/message-attachments.ts';
import { readProcessIdentity } from '../db/running-process.ts';
import { createDeliveryEngine, type DeliveryEngine } from '../delivery/delivery-engine.ts';
import { nameProcess, replayJournals } from '../delivery/left-outcomes.ts';
import { createMessageBuilder } from '../delivery/message-builder.ts';
import { createOutcomeRecorder } from '../delivery/outcome-recorder.ts';
import { openReplyJournal } from '../delivery/reply-journal.ts';
import { createSandboxTransport } from '../delivery/sandbox.ts';
import { createSigningKeys } from '../delivery/signing-keys.ts';
import type { Transport } from '../delivery/transport.ts';
import { createSearchFiller } from '../jobs/search-filler.ts';
import { createTasks } from '../jobs/tasks.ts';
import { type JobWorker, startJobWorker } from '../jobs/worker.ts';
import { createSecretBox } from '../keys/secret-box.ts';
import { createTrackBody } from '../links/tracked-body.ts';
import { createTrackingTokens } from '../links/tracking-token.ts';
import { OUTBOUND_ROUTE, SANDBOX_ROUTE } from '../sending/plan-deliveries.ts';
import { createUnsubscribeLinks } from '../unsubscribe/unsubscribe-links.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AppOptions } from './app-options.ts';

const MAX_IN_FLIGHT = 400;
const TIMER_MS = 1_000;
const DRAIN_MS = 6_000;

/** The role `worker`: everything that delivers, as one part. */
export interface DeliveryWorker {
  readonly engine: DeliveryEngine;
  readonly jobs: JobWorker;
  stop(): Promise<void>;
}

/** Replays what a killed process had heard, then begins to deliver. */
export async function startDelivery(
  options: AppOptions,
  sql: Sql,
  ids: IdGenerator,
  outbound: Transport,
  onRecorded: Parameters<typeof createOutcomeRecorder>[0]['onRecorded'],
  warn: (error: unknown, what: string) => void,
): Promise<DeliveryWorker> {
  const { config, clock, logger, target, baseUrl } = options;
  const folder = join(config.dataDir, 'journal');
  const recording = { sql, ids, onRecorded, onDueAt: (at: Date) => wakeAt(at) };
  // Nothing is to be woken yet: the first look of the timer finds what is due.
  await replayJournals(folder, { ...recording, onDueAt: () => undefined }, logger, clock.now());
  const leaseId = randomUUID();
  const processName = nameProcess(leaseId, await readProcessIdentity(process.pid));
  const journal = openReplyJournal(folder, processName, warn);
  const recorder = createOutcomeRecorder({ ...recording, journal, onError: warn });
  const builder = createMessageBuilder(
    createSigningKeys(sql, createSecretBox(config.secretKey()), clock.now),
    createUnsubscribeLinks({ baseUrl, secretKey: config.secretKey() }),
    createTrackBody(createTrackingTokens(config.secretKey()), baseUrl),
    (accountId, messageId) => readAttachments(sql, accountId, messageId),
    clock.now,
  );
  const sandbox = createSandboxTransport(config.transport.kind === 'capture' ? outbound : null);
  const engine = createDeliveryEngine({
    sql,
    clock,
    builder,
    recorder,
    leaseId,
    transports: new Map([
      [OUTBOUND_ROUTE, outbound],
      [SANDBOX_ROUTE, sandbox],
    ]),
    random: options.random,
    maxInFlight: MAX_IN_FLIGHT,
    onError: warn,
  });
  const pump = () => engine.pump().catch((error: unknown) => warn(error, 'claiming deliveries'));
  const jobs = await startJobWorker({
    sql,
    target,
    tasks: createTasks({ sql, clock, engine, onError: warn }),
    clock,
    logger,
  }).catch(async (error: unknown) => {
    await engine.stop(0);
    journal.close();
    throw error;
  });
  const filler = createSearchFiller({ sql, onError: warn });
  const timer = setInterval(() => {
    void pump();
    void filler.run();
  }, TIMER_MS);
  const soon = new Set<NodeJS.Timeout>();

  /** A retry that is due before the next look of the timer gets a look of its own. */
  function wakeAt(at: Date): void {
    const delayMs = at.getTime() - clock.now().getTime();
    if (delayMs >= TIMER_MS) return;
    const wake = setTimeout(
      () => {
        soon.delete(wake);
        void pump();
      },
      Math.max(0, delayMs),
    );
    soon.add(wake);
  }

  async function stop(): Promise<void> {
    clearInterval(timer);
    for (const wake of soon) clearTimeout(wake);
    await engine.stop(DRAIN_MS);
    await Promise.all([filler.stop(), jobs.stop()]);
    journal.close();
  }

  return { engine, jobs, stop };
}
