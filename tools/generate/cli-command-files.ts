import path from 'node:path';
import type { CommandDefinition } from '@postrider/cli';
import type { Operation } from '@postrider/core';
import { listFiles } from '../list-files.ts';
import { ROOT } from '../run-program.ts';

const FOLDER = path.join(ROOT, 'packages/cli/src/commands');

/** The file of a command. Its path is the command's words: `emails send` is `emails/send.ts`. */
export interface CommandFile {
  /** Relative to the folder of the commands. */
  readonly path: string;
  readonly definition: CommandDefinition;
}

/** Every command file, sorted by words; a group's own file comes after its commands. */
export async function readCommandFiles(operations: readonly Operation[]): Promise<readonly CommandFile[]> {
  const files = listFiles(FOLDER).toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return await Promise.all(
    files.map(async (file) => {
      const { definition }: { definition: CommandDefinition } = await import(path.join(FOLDER, file));
      checkPlace(file, definition, operations);
      return { path: file, definition };
    }),
  );
}

function orderOf(file: string): string {
  return `${wordsOf(file)}\u{10ffff}`;
}

function wordsOf(file: string): string {
  return file.replace(/\.ts$/, '').replaceAll(path.sep, ' ');
}

function checkPlace(
  file: string,
  { id, about, flags = {} }: CommandDefinition,
  operations: readonly Operation[],
): void {
  const words = about === undefined ? operations.find((operation) => operation.id === id)?.cli?.command : id;
  if (words !== wordsOf(file)) throw new Error(`commands/${file} defines ${id}, whose words are ${words ?? 'none'}`);
  const misnamed = Object.entries(flags).filter(([name, flag]) => attributeOf(flag.flags) !== name);
  for (const [name, flag] of misnamed) throw new Error(`${id}: the flag ${flag.flags} cannot be named ${name}`);
}

/** The parser's name for the value of a flag. */
function attributeOf(flags: string): string | undefined {
  const [, long] = /--([a-z-]+)/.exec(flags) ?? [];
  return long?.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
