import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { DrivenTerminal } from '../harness/terminal.ts';

/**
 * Holds a screen against the one that is kept in screens/. It comes in pieces, and parts of the one before can stand beside the first of them:
 * the kept one itself is waited for.
 * @param steady takes away what is other in every run.
 */
export async function keepScreen(
  terminal: DrivenTerminal,
  name: string,
  steady: (screen: string) => string,
): Promise<void> {
  const path = join(import.meta.dirname, 'screens', `${name}.txt`);
  const kept = await readFile(path, 'utf8').catch(() => null);
  const isKept = (screen: string) => `${steady(screen)}\n` === kept;
  // If it never appears, the assertion below shows what does.
  if (kept !== null) await terminal.shows(isKept).catch(() => {});
  await expect(`${steady(terminal.screen())}\n`).toMatchFileSnapshot(path);
}
