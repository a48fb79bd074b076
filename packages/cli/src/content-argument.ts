import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliIo } from './cli-io.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { ownFailure, usageFailure } from './failure.ts';

/**
 * The content a flag stands for: `@path` is a file's, `-` is what comes on stdin, anything else is the content itself. `@@` at the start
 * is a literal `@`, so that every text can be said.
 */
export async function readContent(flag: string, given: string, io: CliIo): Promise<string> {
  if (readsStdin(given)) return decode(await readStdin(flag, io), `what ${flag} reads from stdin`);
  if (given.startsWith('@@')) return given.slice(1);
  if (!given.startsWith('@')) return given;
  const path = given.slice(1);
  return decode(await readNamedFile(flag, path, io), `the file ${path} of ${flag}`);
}

/** Two flags cannot both read stdin: the second would find it empty. */
export function readsStdin(given: string): boolean {
  return given === '-' || given === '@-';
}

async function readNamedFile(flag: string, path: string, io: CliIo): Promise<Uint8Array> {
  try {
    return await readFile(resolve(io.cwd, path));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usageFailure(
      `${flag} names the file ${path === '' ? '""' : path}, which cannot be read (${reason})`,
      `Check the path; it starts from ${io.cwd}. For content that begins with @, write @@.`,
    );
  }
}

async function readStdin(flag: string, io: CliIo): Promise<Uint8Array> {
  if (io.stdin.isTTY === true)
    io.stderr.write(`Reading ${flag} from the terminal; end with Ctrl-D on a line of its own.\n`);
  const chunks: Uint8Array[] = [];
  const chunksOfStdin = io.stdin[Symbol.asyncIterator]();
  for (;;) {
    const next = await untilAborted(chunksOfStdin.next(), io.signal);
    if (next.done === true) return Buffer.concat(chunks);
    chunks.push(typeof next.value === 'string' ? Buffer.from(next.value) : next.value);
  }
}

/** A read from stdin cannot be called back, but nobody has to wait for it. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw ownFailure(
      EXIT_CODES.usage,
      'usage',
      'The command line is wrong',
      `${what} is not UTF-8 text`,
      'Convert it to UTF-8.',
    );
  }
}
