import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Every file under a folder, by relative path; empty if the folder does not exist. */
export function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
