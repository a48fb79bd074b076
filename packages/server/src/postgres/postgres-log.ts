import { closeSync, constants, fstatSync } from 'node:fs';
import { copyFile, open, rm, stat, truncate } from 'node:fs/promises';
import { openOwnedFile } from './file-lock.ts';

/** The log of one run of the server. The server writes to the file itself, so the last lines of a crashed server are kept too. */
export interface PostgresLog {
  fd: number;
  /** The last lines of this run, as one text. */
  readTail(): Promise<string>;
  close(): void;
}

/** At most two files of this size are kept: the current one and its predecessor. */
const LOG_LIMIT_BYTES = 5_000_000;
const TAIL_BYTES = 8_192;
const TAIL_LINES = 15;

/** Opens the log for a new run, after the output of earlier runs. */
export async function openPostgresLog(path: string): Promise<PostgresLog> {
  await limitPostgresLog(path);
  const fd = openOwnedFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND);
  const begin = fstatSync(fd).size;
  return { fd, readTail: () => readTail(path, begin), close: () => closeSync(fd) };
}

/**
 * Rotates a log that has grown too large. The server keeps its open file and appends, so its next line is at the start
 * of the emptied file.
 */
export async function limitPostgresLog(path: string): Promise<void> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size <= LOG_LIMIT_BYTES) return;
  // Removed first: it may belong to another user who once started the server here.
  await rm(`${path}.1`, { force: true });
  await copyFile(path, `${path}.1`);
  await truncate(path);
}

async function readTail(path: string, begin: number): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const from = Math.max(size < begin ? 0 : begin, size - TAIL_BYTES);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
    const lines = buffer.toString('utf8', 0, bytesRead).trim().split('\n');
    return lines.slice(-TAIL_LINES).join('\n');
  } finally {
    await file.close();
  }
}
