import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A constant that a file exports: an operation, its handler or a tool. */
export interface Declaration {
  /** The file's path relative to the folder, without `.ts`. */
  readonly file: string;
  readonly name: string;
  /** The pattern's second group: the id of an operation. */
  readonly id: string;
}

/**
 * The constants under a folder that match the pattern, with the groups `name` and optionally `id`. Sources are read as text, because the
 * list of modules must exist before it can be imported.
 */
export async function readDeclarations(folder: string, pattern: RegExp): Promise<readonly Declaration[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts')).sort();
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(folder, file), 'utf8');
      return [...text.matchAll(pattern)].map(({ groups = {} }) => ({
        file: file.replace(/\.ts$/, '').split(path.sep).join('/'),
        name: groups['name'] ?? '',
        id: groups['id'] ?? '',
      }));
    }),
  );
  return found.flat();
}

/** An import statement per file; `from` is the path from the generated file to the folder. */
export function importsOf(declarations: readonly Declaration[], from: string): string {
  const byFile = Map.groupBy(declarations, ({ file }) => file);
  const lines = [...byFile].map(
    ([file, list]) => `import { ${list.map(({ name }) => name).join(', ')} } from '${from}/${file}.ts';`,
  );
  return lines.join('\n');
}

/** The text of a committed file; empty if there is none. */
export async function readCommitted(file: string): Promise<string> {
  return existsSync(file) ? await readFile(file, 'utf8') : '';
}
