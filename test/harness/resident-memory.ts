import { readFileSync } from 'node:fs';

/** The memory that a process occupies, in megabytes (proc_pid_status(5)); null where the system does not say. */
export function residentMegabytes(pid: number): number | null {
  try {
    const found = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? null : Number(found[1]) / 1024;
  } catch {
    return null;
  }
}
