import { chmod, copyFile, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { putIntoJson } from './edit-json.ts';
import { putIntoToml } from './edit-toml.ts';
import { entryOf, type McpClient, type ServerEntry } from './mcp-clients.ts';

export type Installed =
  | { readonly status: 'installed'; readonly backup: string | null }
  /** The file said so already. */
  | { readonly status: 'unchanged' }
  /** `reason` says what is in the way; nothing was written. */
  | { readonly status: 'refused'; readonly reason: string };

/** A new file holds a key; one that is there keeps the rights it has. */
const NEW_FILE_MODE = 0o600;

/**
 * Enters the server into a program's file: read, edited as text, written whole or not at all, with a copy of what stood there beside it. A
 * link stays a link.
 */
export async function installEntry(
  client: McpClient,
  path: string,
  name: string,
  entry: ServerEntry,
  now: Date,
): Promise<Installed> {
  const file = await realpath(path).catch(() => path);
  const before = await readText(file);
  if (before === undefined) return { status: 'refused', reason: 'the file cannot be read' };
  const after = edit(client, before ?? '', name, entry);
  if (after === null)
    return { status: 'refused', reason: `the file is not the ${client.format.toUpperCase()} it should be` };
  if (after === before) return { status: 'unchanged' };
  try {
    return { status: 'installed', backup: await replace(file, after, before !== null, now) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { status: 'refused', reason: `the file could not be written (${code})` };
  }
}

function edit(client: McpClient, text: string, name: string, entry: ServerEntry): string | null {
  return client.format === 'toml'
    ? putIntoToml(text, client.section, name, entry)
    : putIntoJson(text, client.section, name, entryOf(client, entry));
}

/** Null where there is no file; undefined where it cannot be read. */
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
  // The mode given at creation is narrowed by the umask.
  await chmod(fresh, mode);
  await rename(fresh, file);
  return backup;
}
