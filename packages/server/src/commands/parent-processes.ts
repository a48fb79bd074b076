import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process from the system's list. `beganAt` distinguishes it from a later one with the same id. */
interface RunningProcess {
  readonly pid: number;
  readonly parentPid: number;
  readonly beganAt: string;
  readonly words: readonly string[];
}

const PACKAGE_MANAGER = /(?:^|[/\\])(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|corepack)(?:[ .-]|$)/;
const LOOK_EVERY_MS = 500;

/**
 * Calls `onGone` once when one of the package managers that started this process has ended, or the shell of one was interrupted. npx and
 * pnpm do not forward every signal. Without this the server would keep running in the background and keep its port and its data directory.
 */
export function watchParentProcesses(onGone: () => void): void {
  const starters = findStarters();
  if (starters.length === 0) return;
  const wasInterrupted = watchShells(starters);
  const timer = setInterval(() => {
    if (starters.every(isRunning) && !wasInterrupted()) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/**
 * npx passes a SIGINT to its shell, and dash, the `sh` of Debian, keeps it until its command ends. The only trace is that the shell, which
 * waits for its command all the time, woke up once more. A shell that was stopped and continued, or suspended with the machine, wakes up
 * too: after these, the count starts again.
 */
function watchShells(starters: readonly RunningProcess[]): () => boolean {
  const shells = starters.filter(({ words }) => /(?:^|\/)(?:da|a)?sh$/.test(words[0] ?? '') && words[1] === '-c');
  const wakeUpsOf = () => shells.map(({ pid }) => countWakeUps(pid));
  let [last, lastAtMs, isFresh] = [wakeUpsOf(), Date.now(), true];
  return () => {
    const [now, nowMs] = [wakeUpsOf(), Date.now()];
    const isWhole = nowMs - lastAtMs < 4 * LOOK_EVERY_MS && now.every((count) => count !== null);
    const hasWoken = isWhole && isFresh && now.some((count, index) => count !== last[index]);
    // The first look after a pause only starts the count.
    [last, lastAtMs, isFresh] = [now, nowMs, isWhole];
    return hasWoken;
  };
}

/** How often a process has gone to sleep; null while it is stopped, and where the system does not count. */
function countWakeUps(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const count = /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1];
    return count === undefined || !/^State:\s+S/m.test(status) ? null : Number(count);
  } catch {
    return null;
  }
}

/**
 * The processes between this one and the outermost package manager above it, including the shells in which package
 * managers run scripts. The shell or service manager that started the outermost one is not included: it may end while
 * the server continues.
 */
function findStarters(): readonly RunningProcess[] {
  const above: RunningProcess[] = [];
  let pid = process.ppid;
  while (pid > 1) {
    const found = readProcess(pid);
    if (found === null) break;
    above.push(found);
    pid = found.parentPid;
  }
  return above.slice(0, above.findLastIndex(isPackageManager) + 1);
}

function isPackageManager({ words }: RunningProcess): boolean {
  // As `npx`, as `node …/npx-cli.js`, or by npm's process title.
  return words.slice(0, 2).some((word) => PACKAGE_MANAGER.test(word));
}

function isRunning({ pid, beganAt }: RunningProcess): boolean {
  return readProcess(pid)?.beganAt === beganAt;
}

/** Null for a process that has ended, even if its parent has not noticed yet. */
function readProcess(pid: number): RunningProcess | null {
  try {
    return process.platform === 'linux' ? readFromProc(pid) : readFromPs(pid);
  } catch {
    return null;
  }
}

/** proc(5): the name is in parentheses and may contain some. The state, the parent and, 18 fields later, the start time follow. */
function readFromProc(pid: number): RunningProcess | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [state, parentPid, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return null;
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return { pid, parentPid: Number(parentPid), beganAt: fields[17] ?? '', words };
}

function readFromPs(pid: number): RunningProcess | null {
  const line = execFileSync('ps', ['-o', 'ppid=,stat=,lstart=,command=', '-p', String(pid)], {
    encoding: 'utf8',
  }).trim();
  const [parentPid, state = '', ...rest] = line.split(/\s+/);
  if (state.startsWith('Z')) return null;
  return { pid, parentPid: Number(parentPid), beganAt: rest.slice(0, 5).join(' '), words: rest.slice(5) };
}
