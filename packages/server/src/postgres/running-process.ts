import { readdir, readFile, readlink } from 'node:fs/promises';
import { runProgram } from './run-program.ts';

/** A process of this machine. `folder` is its working directory, null if the system does not report it. */
export interface RunningProcess {
  pid: number;
  command: string;
  folder: string | null;
}

/** Sends a signal. Does nothing if the process has ended in the meantime. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Callers also wait for the process to end, so they notice a failure there.
  }
}

/**
 * A text that distinguishes a process from all others with the same id: the machine's boot and the start time of the
 * process. Null if no such process is running.
 */
export async function readProcessIdentity(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') {
    const { code, output } = await runProgram({ command: 'ps', args: ['-o', 'lstart=', '-p', String(pid)] });
    return code === 0 && output !== '' ? output : null;
  }
  const status = await readText(`/proc/${pid}/stat`);
  if (status === null) return null;
  // proc_pid_stat(5): the name in parentheses may contain anything. After it are the state (field 3) and, as field 22,
  // the start time.
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  const boot = (await readText('/proc/sys/kernel/random/boot_id')) ?? '';
  return `${boot.trim()} ${fields[19] ?? ''}`;
}

/** All processes that the system shows us. */
export async function listRunningProcesses(): Promise<RunningProcess[]> {
  if (process.platform !== 'linux') return await listWithPs();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(readRunningProcess));
  return found.filter((entry) => entry !== null);
}

/** One process; null if it is not running (a zombie has no command any more). */
export async function readRunningProcess(pid: number): Promise<RunningProcess | null> {
  if (process.platform !== 'linux') return (await listWithPs()).find((entry) => entry.pid === pid) ?? null;
  const commandLine = await readText(`/proc/${pid}/cmdline`);
  if (commandLine === null || commandLine === '') return null;
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return { pid, command: commandLine.replaceAll('\0', ' ').trim(), folder };
}

async function listWithPs(): Promise<RunningProcess[]> {
  const { output } = await runProgram({ command: 'ps', args: ['-axww', '-o', 'pid=,command='] });
  return output.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(.*)$/.exec(line);
    return match === null ? [] : [{ pid: Number(match[1]), command: match[2] ?? '', folder: null }];
  });
}

async function readText(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch(() => null);
}
