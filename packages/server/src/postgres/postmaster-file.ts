import { readFile } from 'node:fs/promises';

/** What a running PostgreSQL writes about itself into its data directory. */
interface PostmasterFile {
  pid: number;
  socketDirectory: string;
  ready: boolean;
}

/** Parses postmaster.pid (its lines: PostgreSQL's miscadmin.h, LOCK_FILE_LINE_*). Null if the file does not exist yet. */
export async function readPostmasterFile(path: string): Promise<PostmasterFile | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  const lines = text?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1) return null;
  return { pid, socketDirectory: lines[4] ?? '', ready: (lines[7] ?? '').trim() === 'ready' };
}
