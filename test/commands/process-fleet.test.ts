import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { createProcessFleet } from '../../packages/server/src/commands/process-fleet.ts';

afterEach(() => vi.restoreAllMocks());

function createFleet() {
  const onHopeless = vi.fn();
  const fleet = createProcessFleet({
    ...{ roles: new Set(['api'] as const), processes: 1, logger: pino({ level: 'silent' }) },
    ...{ onStarted: () => undefined, onHopeless },
  });
  return { fleet, onHopeless };
}

/** A process that the test plays. It has a process id unless it could not be started. */
function createFakeWorker(pid?: number) {
  const child = Object.assign(new EventEmitter(), { pid, send: () => true, kill: () => true });
  const worker = Object.assign(new EventEmitter(), { process: child, isConnected: () => true, send: () => true });
  return { child, worker };
}

function startFake(worker: EventEmitter): void {
  worker.emit('message', { kind: 'loaded' });
  worker.emit('message', { kind: 'ready' });
}

function forkFakes(forks: readonly (() => EventEmitter)[]): () => number {
  let count = 0;
  vi.spyOn(cluster, 'fork').mockImplementation(() => {
    count += 1;
    const worker = forks[count - 1]?.();
    if (worker === undefined) throw new Error('no more forks are expected');
    return worker as Worker; // Only what the fleet uses.
  });
  return () => count;
}

const withoutMemory = () => {
  throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
};

it('starts a process again that the system could not start', async () => {
  const first = createFakeWorker(1);
  const unstarted = createFakeWorker();
  const last = createFakeWorker(2);
  const forks = forkFakes([() => first.worker, withoutMemory, () => unstarted.worker, () => last.worker]);
  const { fleet, onHopeless } = createFleet();
  fleet.begin();
  startFake(first.worker);
  await fleet.serve({ processes: 1, port: 0, baseUrl: '', embedded: null });
  first.child.emit('exit', null, 'SIGKILL');

  await vi.waitFor(() => expect(forks()).toBe(3), 2_000);
  unstarted.child.emit('error', new Error('spawn EAGAIN'));
  unstarted.child.emit('error', new Error('spawn EAGAIN'));
  await vi.waitFor(() => expect(forks()).toBe(4), 2_000);
  startFake(last.worker);
  expect([fleet.ready(), fleet.restarts(), onHopeless.mock.calls]).toEqual([1, 3, []]);
});

it.each(['prepare', 'stop'] as const)('does not wait for a process that was not started: %s', async (step) => {
  const unstarted = createFakeWorker();
  forkFakes([() => unstarted.worker]);
  const { fleet } = createFleet();
  fleet.begin();
  const waiting = step === 'prepare' ? fleet.prepare(null) : fleet.stop();
  unstarted.child.emit('error', new Error('spawn EMFILE'));
  if (step === 'stop') expect(await waiting).toBe(true);
  else await expect(waiting).rejects.toThrow('Process 1 of the server could not be started: spawn EMFILE.');
});

it('reports a start without enough memory as an error', async () => {
  forkFakes([withoutMemory]);
  const { fleet } = createFleet();
  fleet.begin();
  await expect(fleet.prepare(null)).rejects.toThrow('Process 1 of the server could not be started: spawn ENOMEM.');
});
