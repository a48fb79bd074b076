import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runProgram } from '../../tools/run-program.ts';

it('is one file of at most 1,000,000 bytes, which runs where nothing else lies', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'postrider-bundle-'));
  try {
    // The bundler says why it fails; it also runs the file for the version, the help and the catalogue of commands.
    const { ok, output } = runProgram(process.execPath, ['tools/bundle-cli.ts', path.join(folder, 'postrider.mjs')]);
    expect(ok, output).toBe(true);
    console.log(output.trim());
  } finally {
    await rm(folder, { recursive: true });
  }
});
