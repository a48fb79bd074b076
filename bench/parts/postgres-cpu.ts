import { readdirSync, readFileSync } from 'node:fs';
import type { TaggedSql } from '../../test/harness/tagged.ts';

/** Linux reports CPU time in hundredths of a second, whatever the kernel's tick is. */
const TICK_MS = 10;

/** Reads the CPU time of all Postgres processes behind a connection, in milliseconds. */
export async function createPostgresCpu(sql: TaggedSql): Promise<() => number> {
  return postgresCpuOf(await findPostmaster(sql));
}

/** The process id of the postmaster behind a connection. */
export async function findPostmaster(sql: TaggedSql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  return readStat(row?.pid ?? 0)?.parent ?? 0;
}

/** Reads the CPU time of a postmaster, its ended children, and its running ones, in milliseconds. */
export function postgresCpuOf(postmaster: number): () => number {
  return () => {
    const family = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), stat: readStat(Number(name)) }));
    return family.reduce((sumMs, { pid, stat }) => {
      if (stat === null) return sumMs;
      if (pid === postmaster) return sumMs + stat.ownMs + stat.reapedMs;
      return stat.parent === postmaster ? sumMs + stat.ownMs : sumMs;
    }, 0);
  };
}

/**
 * proc_pid_stat(5): the name in parentheses can contain anything; after it come the state (field 3), the parent, and from field 14 the
 * times.
 */
function readStat(pid: number): { readonly parent: number; readonly ownMs: number; readonly reapedMs: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, reapedUser = 0, reapedSystem = 0] = fields.slice(11, 15);
    return {
      parent: fields[1] ?? 0,
      ownMs: (user + system) * TICK_MS,
      reapedMs: (reapedUser + reapedSystem) * TICK_MS,
    };
  } catch {
    return null; // The process ended before it was read.
  }
}
