import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { CliIo } from '../cli-io.ts';
import { usageFailure } from '../failure.ts';

/** A path, a colon and a content id, which has no slash, backslash or colon. */
const WITH_CONTENT_ID = /^(.+):([^:/\\]+)$/s;

/** The values of a send, with the files of `--attach` after those of `--attachments`. */
export async function withAttachments(
  values: Readonly<Record<string, unknown>>,
  paths: readonly string[] | undefined,
  io: CliIo,
): Promise<Readonly<Record<string, unknown>>> {
  if (paths === undefined) return values;
  const given = values['attachments'] ?? [];
  if (!Array.isArray(given)) {
    throw usageFailure('--attachments is not a list', 'Pass a JSON array, or each file with --attach.');
  }
  const files: unknown[] = [];
  for (const path of paths) files.push(await readAttachment(path, io));
  return { ...values, attachments: [...given, ...files] };
}

/** If a file with the whole name exists, the name has no content id, even with a colon in it. */
async function readAttachment(given: string, io: CliIo): Promise<Readonly<Record<string, string>>> {
  const [, path = given, contentId] = (await isFile(given, io)) ? [] : (WITH_CONTENT_ID.exec(given) ?? []);
  const content = await readBytes(path, io);
  return {
    filename: basename(path),
    content: content.toString('base64'),
    ...(contentId === undefined ? {} : { content_id: contentId }),
  };
}

async function isFile(path: string, { cwd }: CliIo): Promise<boolean> {
  try {
    return (await stat(resolve(cwd, path))).isFile();
  } catch {
    return false;
  }
}

async function readBytes(path: string, { cwd }: CliIo): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, path));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usageFailure(
      `--attach: the file ${path} cannot be read (${reason})`,
      `Check the path, which is relative to ${cwd}. A content id follows a colon: --attach logo.png:logo`,
    );
  }
}
