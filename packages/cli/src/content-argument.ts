import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ByteSource, CliIo } from './cli-io.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { ownFailure, usageFailure } from './failure.ts';

/**
 * The content of a flag: `@path` reads a file, `-` reads stdin, anything else is the content itself. `@@` at the start is a literal `@`, so
 * that content can begin with one.
 */
export async function readContent(flag: string, given: string, io: CliIo): Promise<string> {
  if (readsStdin(given)) return decode(await readStdin(flag, io), `the input of ${flag} on stdin`);
  if (given.startsWith('@@')) return given.slice(1);
  if (!given.startsWith('@')) return given;
  const path = given.slice(1);
  return decode(await readNamedFile(flag, path, io), `the file ${path} (${flag})`);
}

/** Only one flag can read stdin: a second one would find it empty. */
export function readsStdin(given: string): boolean {
  return given === '-' || given === '@-';
}

async function readNamedFile(flag: string, path: string, io: CliIo): Promise<Uint8Array> {
  try {
    return await readFile(resolve(io.cwd, path));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usageFailure(
      `${flag}: the file ${path === '' ? '""' : path} cannot be read (${reason})`,
      `Check the path, which is relative to ${io.cwd}. For content that begins with @, write @@.`,
    );
  }
}

async function readStdin(flag: string, { stdin, stderr, signal }: CliIo): Promise<Uint8Array> {
  if (stdin.isTTY === true) stderr.write(`Reading ${flag} from the terminal. Press Ctrl-D on an empty line to end.\n`);
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  const interrupt = () => {
    reject(signal?.reason);
    stdin.destroy?.();
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    return await Promise.race([readAll(stdin), interrupted]);
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
}

async function readAll(source: ByteSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw ownFailure(
      EXIT_CODES.usage,
      'usage',
      'Invalid command line',
      `${what} is not UTF-8 text`,
      'Convert it to UTF-8.',
    );
  }
}
