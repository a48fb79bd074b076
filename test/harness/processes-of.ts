import { readdirSync, readFileSync } from 'node:fs';

/** The running child processes of a process, from /proc (Linux). */
export function processesOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

/** The processes of a server that serve: its supervisor starts them with the argument `serve`. */
export function workersOf(supervisor: number): readonly number[] {
  return processesOf(supervisor).filter((pid) => read(pid, 'cmdline').includes('\0serve\0'));
}

export function isRunning(pid: number): boolean {
  const state = /\) (\S)/.exec(read(pid, 'stat'))?.[1];
  return state !== undefined && state !== 'Z';
}

function parentOf(pid: number): number {
  const stat = read(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
