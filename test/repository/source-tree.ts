import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A file of the repository; `path` is relative to its root and has forward slashes. */
export interface TreeFile {
  readonly path: string;
  readonly text: string;
}

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Every file that belongs to the repository: what `.gitignore` names is left out. */
export function readTree(): readonly TreeFile[] {
  const lines = readFileSync(path.join(ROOT, '.gitignore'), 'utf8').split('\n');
  const isIgnored = (name: string) => name === '.git' || lines.some((line) => matches(line, name));
  return listFiles('', isIgnored).map((file) => ({ path: file, text: readFileSync(path.join(ROOT, file), 'utf8') }));
}

/** The handwritten sources of the packages. */
export function isSource({ path: file }: TreeFile): boolean {
  return /^packages\/[^/]+\/src\/.+\.ts$/.test(file) && !isGenerated(file);
}

export function isGenerated(file: string): boolean {
  return file.includes('/generated/');
}

function listFiles(folder: string, isIgnored: (name: string) => boolean): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (isIgnored(name)) return [];
    if (entry.isDirectory()) return listFiles(name, isIgnored);
    return entry.isFile() ? [name] : [];
  });
}

/** The two forms of pattern that our `.gitignore` has: `folder/` and `*.suffix`. */
function matches(line: string, name: string): boolean {
  if (line.startsWith('*.')) return name.endsWith(line.slice(1));
  const folder = line.replace(/\/$/, '');
  return folder !== '' && (name === folder || name.endsWith(`/${folder}`));
}
