import { readFileSync } from 'node:fs';

/** The resident memory of a process in megabytes (proc_pid_status(5)); null if the system does not report it. */
export function residentMegabytes(pid: number): number | null {
  try {
    const found = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? null : Number(found[1]) / 1024;
  } catch {
    return null;
  }
}
