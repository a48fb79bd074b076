import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Download } from '@postrider/sdk';
import type { ApiConnection } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { usageFailure } from '../../failure.ts';
import { placeValues } from '../../operation-input.ts';
import { isRecord } from '../../output/json-value.ts';
import type { Output } from '../../output/output.ts';
import { createProgressLine, type ProgressLine } from '../../output/progress-line.ts';
import { writeAndDrain } from '../../output/write-and-drain.ts';
import { textFlag } from '../../own-flag.ts';

/** Writes an export to a file, or streams it to stdout. */
export const definition = defineCommand({
  id: 'emails.export',
  // Replaces the global flag of this name, which chooses the output format: here the result is the file.
  flags: {
    output: textFlag(
      '-o, --output <file>',
      'File or folder to write to; in a folder, the file gets the name that the server suggests. Default: stdout.',
    ),
  },
  async run({ command, values, own, options }, connection, output, io) {
    const input = placeValues(command, values);
    const given = own.output;
    const progress = createProgressLine(io.stderr, options.isQuiet || given === undefined);
    const expected = progress.isShown ? await countRows(input.query, connection) : null;
    const file = await connection.download(command.id, input);
    const counted = countLines(file, (rows, bytes) => progress.show(rows, bytes, expected));
    if (given !== undefined) {
      const path = await writeFileWhole(await pathOf(given, file, io.cwd), counted.chunks, progress);
      report({ path, rows: rowsOf(counted, file), bytes: counted.bytes(), isTruncated: file.isTruncated }, output);
    } else {
      await copyToStdout(counted.chunks, io);
    }
    if (file.isTruncated)
      output.remark(
        'There are more messages than one export can contain. This file has the newest; export older ones with --to.',
      );
    return EXIT_CODES.done;
  },
});

interface Counted {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly lines: () => number;
  readonly bytes: () => number;
}

const LINE_FEED = 10;

/** Every row is one line in each format. */
function countLines(chunks: AsyncIterable<Uint8Array>, onChunk: (lines: number, bytes: number) => void): Counted {
  let lines = 0;
  let bytes = 0;
  async function* counting(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of chunks) {
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
      bytes += chunk.byteLength;
      onChunk(lines, bytes);
      yield chunk;
    }
  }
  return { chunks: counting(), lines: () => lines, bytes: () => bytes };
}

/** CSV has a header line; a JSON array has brackets on its first and last lines, unless it is empty. */
function rowsOf({ lines }: Counted, { contentType }: Download): number {
  if (contentType?.startsWith('text/csv')) return lines() - 1;
  return contentType?.startsWith('application/json') ? Math.max(0, lines() - 2) : lines();
}

/** The number of rows for the progress bar; null if it is unknown, which must not prevent the export. */
async function countRows(query: Readonly<Record<string, unknown>>, connection: ApiConnection): Promise<number | null> {
  const { format: _, ...filters } = query;
  const list = { params: {}, query: { ...filters, limit: 1 }, headers: {}, body: undefined };
  const { data } = await connection.callCommand('emails.list', list);
  return isRecord(data) && typeof data['total'] === 'number' && data['totalIsEstimate'] === false
    ? data['total']
    : null;
}

async function pathOf(given: string, file: Download, cwd: string): Promise<string> {
  const path = resolve(cwd, given);
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? join(path, basename(file.fileName ?? 'messages')) : path;
}

/** Writes to a temporary name first, so that the file never exists incomplete under its own name. */
async function writeFileWhole(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  progress: ProgressLine,
): Promise<string> {
  const part = `${path}.part`;
  try {
    await pipeline(chunks, createWriteStream(part));
    await rename(part, path);
    return path;
  } catch (error) {
    await rm(part, { force: true });
    throw fileFailure(error, path) ?? error;
  } finally {
    progress.clear();
  }
}

const FILE_ERRORS = ['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ENOTDIR', 'EROFS', 'ENOSPC', 'ENAMETOOLONG'];

function fileFailure(error: unknown, path: string): Error | null {
  if (!(error instanceof Error) || !('code' in error) || !FILE_ERRORS.includes(String(error.code))) return null;
  return usageFailure(`${path} cannot be written (${String(error.code)})`, 'Choose another file with --output.');
}

async function copyToStdout(chunks: AsyncIterable<Uint8Array>, { stdout }: CliIo): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    if (!(await writeAndDrain(stdout, decoder.decode(chunk, { stream: true })))) return;
  }
}

function report(
  written: { readonly path: string; readonly rows: number; readonly bytes: number; readonly isTruncated: boolean },
  output: Output,
): void {
  if (output.isJson)
    output.writeJson({ file: written.path, rows: written.rows, bytes: written.bytes, truncated: written.isTruncated });
  else output.writeText(`Wrote ${written.rows.toLocaleString('en-US')} messages to ${written.path}\n`);
}
