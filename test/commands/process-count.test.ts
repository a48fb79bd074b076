import { describe, expect, it } from 'vitest';
import {
  chooseProcesses,
  connectionsNeeded,
  processesWithin,
} from '../../packages/server/src/commands/process-count.ts';
import { restartDelayMs } from '../../packages/server/src/commands/restart-policy.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { CONNECTIONS, connectionsOf } from '../../packages/server/src/db/connection-counts.ts';
import { judgeProcesses } from '../../packages/server/src/doctor/check-processes.ts';
import { ACCEPT_CONNECTIONS } from '../../packages/server/src/sending/accept-queue.ts';

const GIGABYTE = 2 ** 30;

describe('the number of processes of a server', () => {
  it.each([
    { processors: 1, memory: 64, processes: 1 },
    { processors: 4, memory: 16, processes: 4 },
    { processors: 8, memory: 2, processes: 3 },
    { processors: 2, memory: 0.5, processes: 1 },
    { processors: 256, memory: 1_024, processes: 64 },
  ])('is $processes with $processors processors and $memory GB of memory', ({ processors, memory, processes }) => {
    expect(chooseProcesses(null, { processors, memoryBytes: memory * GIGABYTE })).toBe(processes);
  });

  it('is the setting, regardless of the machine', () => {
    expect(chooseProcesses(8, { processors: 1, memoryBytes: GIGABYTE / 2 })).toBe(8);
  });

  it('is limited by the connections of the database, but is at least one', () => {
    expect(processesWithin({ allowed: 100, used: 3 }, 30)).toBe(3);
    expect(processesWithin({ allowed: 100, used: 80 }, 30)).toBe(1);
    const allowed = connectionsNeeded(8, 30);
    expect(processesWithin({ allowed, used: 5 }, 30)).toBe(8);
  });

  it('is read from the setting or its flag, which takes precedence', () => {
    const processesOf = (environment: Record<string, string>, processes?: string) => {
      const verdict = readConfig(environment, processes === undefined ? {} : { processes });
      return verdict.ok ? verdict.config.processes : verdict.problems.map(({ setting }) => setting);
    };
    const production = {
      POSTRIDER_MODE: 'production',
      POSTRIDER_TRANSPORT: 'direct',
      POSTRIDER_SECRET_KEY: 'k'.repeat(32),
    };
    expect([processesOf({}), processesOf(production)]).toEqual([1, null]);
    expect(processesOf({ POSTRIDER_PROCESSES: '4' })).toBe(4);
    expect(processesOf({ POSTRIDER_PROCESSES: '4' }, '2')).toBe(2);
    for (const wrong of ['0', '65', 'all', '1.5', '-1'])
      expect(processesOf({ POSTRIDER_PROCESSES: wrong })).toEqual(['POSTRIDER_PROCESSES']);
  });
});

describe('the connections of a process', () => {
  it('include those of the accept queue and, with the role worker, of delivery and its jobs', () => {
    const accept = Object.values(ACCEPT_CONNECTIONS).reduce((sum, count) => sum + count, 0);
    expect(CONNECTIONS.accept).toBe(accept);
    expect([connectionsOf(new Set(['api'])), connectionsOf(new Set(['api', 'worker']))]).toEqual([20, 34]);
  });
});

describe('the restart of a process', () => {
  it('has a delay that doubles up to ten seconds', () => {
    const delays = [1, 2, 3, 8, 20].map((deaths) => restartDelayMs({ deaths, failedStarts: 0, isAnotherReady: false }));
    expect(delays).toEqual([100, 200, 400, 10_000, 10_000]);
  });

  it('is given up if the process cannot start and no other process is left', () => {
    expect(restartDelayMs({ deaths: 5, failedStarts: 5, isAnotherReady: false })).toBeNull();
    expect(restartDelayMs({ deaths: 50, failedStarts: 50, isAnotherReady: true })).toBe(10_000);
    expect(restartDelayMs({ deaths: 5, failedStarts: 4, isAnotherReady: false })).not.toBeNull();
  });
});

describe('the doctor', () => {
  it('warns if the database has too few connections for all processes', () => {
    const judge = (processes: number, allowed: number | null) =>
      judgeProcesses({ processes, perProcess: 30, allowed }).status;
    expect([judge(3, 97), judge(4, 97), judge(8, null)]).toEqual(['pass', 'warn', 'pass']);
  });
});
