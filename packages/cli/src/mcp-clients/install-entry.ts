import { chmod, copyFile, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { putIntoJson, removeFromJson } from './edit-json.ts';
import { putIntoToml, removeFromToml } from './edit-toml.ts';
import { entryOf, type McpClient, type ServerEntry } from './mcp-clients.ts';

export type Installed =
  | { readonly status: 'installed'; readonly backup: string | null }
  /** The file already has the entry. */
  | { readonly status: 'unchanged' }
  /** Nothing was written; `reason` says why. */
  | { readonly status: 'refused'; readonly reason: string };

export type Removed =
  | { readonly status: 'removed'; readonly backup: string | null }
  /** The server or the file does not exist. */
  | { readonly status: 'absent' }
  | { readonly status: 'refused'; readonly reason: string };

/** A new file contains a key. An existing file keeps its permissions. */
const NEW_FILE_MODE = 0o600;

/**
 * Adds the server to a client's file: edits it as text, writes it atomically, and saves a backup of the previous content. A symbolic link stays
 * one.
 */
export async function installEntry(
  client: McpClient,
  path: string,
  name: string,
  entry: ServerEntry,
  now: Date,
): Promise<Installed> {
  const done = await editFile(client, path, now, (text) => edit(client, text, name, entry));
  if ('reason' in done) return { status: 'refused', reason: done.reason };
  return done.isChanged ? { status: 'installed', backup: done.backup } : { status: 'unchanged' };
}

/** Removes the server from a client's file in the same way. */
export async function removeEntry(client: McpClient, path: string, name: string, now: Date): Promise<Removed> {
  const done = await editFile(client, path, now, (text) =>
    client.format === 'toml' ? removeFromToml(text, client.section, name) : removeFromJson(text, client.section, name),
  );
  if ('reason' in done) return { status: 'refused', reason: done.reason };
  return done.isChanged ? { status: 'removed', backup: done.backup } : { status: 'absent' };
}

type Edited =
  | { readonly isChanged: false }
  | { readonly isChanged: true; readonly backup: string | null }
  | { readonly reason: string };

/** @param change returns the new text, or null if it cannot parse the old one */
async function editFile(
  client: McpClient,
  path: string,
  now: Date,
  change: (text: string) => string | null,
): Promise<Edited> {
  const file = await realpath(path).catch(() => path);
  const before = await readText(file);
  if (before === undefined) return { reason: 'the file cannot be read' };
  // A file with only CRLF line ends keeps them, also in the added lines.
  const lineEnd = before !== null && /\r\n/.test(before) && !/(?<!\r)\n/.test(before) ? '\r\n' : '\n';
  const after = change((before ?? '').replaceAll(lineEnd, '\n'))?.replaceAll('\n', lineEnd) ?? null;
  if (after === null) return { reason: `the file is not ${client.format.toUpperCase()} of the expected form` };
  if (after === (before ?? '')) return { isChanged: false };
  try {
    return { isChanged: true, backup: await replace(file, after, before !== null, now) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { reason: `the file could not be written (${code})` };
  }
}

function edit(client: McpClient, text: string, name: string, entry: ServerEntry): string | null {
  return client.format === 'toml'
    ? putIntoToml(text, client.section, name, entry)
    : putIntoJson(text, client.section, name, entryOf(client, entry));
}

/** Null if the file does not exist; undefined if it cannot be read. */
async function readText(file: string): Promise<string | null | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code === 'ENOENT' ? null : undefined;
  }
}

async function replace(file: string, text: string, exists: boolean, now: Date): Promise<string | null> {
  await mkdir(dirname(file), { recursive: true });
  const backup = exists ? `${file}.backup-${now.toISOString().replace(/[:.]/g, '-')}` : null;
  if (backup !== null) await copyFile(file, backup);
  const mode = exists ? (await stat(file)).mode & 0o777 : NEW_FILE_MODE;
  const fresh = `${file}.${process.pid}.new`;
  await writeFile(fresh, text, { mode });
  // The umask reduces the mode at creation.
  await chmod(fresh, mode);
  await rename(fresh, file);
  return backup;
}
