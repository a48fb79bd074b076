import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { workersOf } from '../../test/harness/processes-of.ts';
import { TEST_SECRET_KEY } from '../../test/harness/template-database.ts';
import type { BenchDatabase } from './bench-database.ts';

const MAIN = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));
/** Linux reports CPU time in hundredths of a second, and memory in pages of 4 KB. */
const TICK_MS = 10;
const PAGE_BYTES = 4_096;

/** The CPU time of all processes of a server so far, including the supervisor, and their memory. */
export interface ServerUsage {
  readonly cpuMs: number;
  /** For each process that serves. */
  readonly rssMb: readonly number[];
  /** For the supervisor; 0 without one. */
  readonly supervisorMb: number;
}

/** The server as an operator starts it, in its own processes. */
export interface StartedServer {
  usage(): ServerUsage;
  stop(): Promise<void>;
}

/** The settings of a server that uses the database of a benchmark. */
export function serverEnvironment({ target }: BenchDatabase, dataDir: string, port: number): Record<string, string> {
  if (target.kind !== 'socket') throw new Error('The database of a benchmark is reached over a socket.');
  return {
    DATABASE_URL: `postgres:///${target.database}`,
    PGHOST: target.host,
    PGUSER: target.user,
    POSTRIDER_MODE: 'production',
    POSTRIDER_DATA_DIR: dataDir,
    POSTRIDER_PORT: String(port),
    POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
    POSTRIDER_HELO_NAME: 'bench.test',
    POSTRIDER_MONTHLY_QUOTA: '2000000000',
    POSTRIDER_LOG_LEVEL: 'warn',
  };
}

/** Starts `postrider-server start`, and waits until it is ready. */
export async function startServer(processes: number, env: Readonly<Record<string, string>>): Promise<StartedServer> {
  const child = spawn(process.execPath, [MAIN, 'start', '--processes', String(processes)], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await untilReady(child);
  const pid = child.pid ?? 0;
  return {
    usage() {
      const workers = workersOf(pid).map(readUsage);
      const first = readUsage(pid);
      return {
        cpuMs: [first, ...workers].reduce((sum, { cpuMs }) => sum + cpuMs, 0),
        rssMb: workers.length === 0 ? [first.rssMb] : workers.map(({ rssMb }) => rssMb),
        supervisorMb: workers.length === 0 ? 0 : first.rssMb,
      };
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function untilReady(child: ChildProcess): Promise<void> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended (${code}): ${text}`)));
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (/^ready/m.test(text)) resolve();
    });
  });
}

/** proc_pid_stat(5): user and system time are fields 14 and 15. */
function readUsage(pid: number): { readonly cpuMs: number; readonly rssMb: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return { cpuMs: (user + system) * TICK_MS, rssMb: (Number(fields[21]) * PAGE_BYTES) / 2 ** 20 };
}
