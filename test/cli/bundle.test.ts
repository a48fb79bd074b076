import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runProgram } from '../../tools/run-program.ts';

it('is one file of at most 1,000,000 bytes, which runs without anything beside it', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'postrider-bundle-'));
  try {
    // The bundler says why it fails; it also runs the file for the version, the help and the catalogue of commands.
    const file = path.join(folder, 'postrider.mjs');
    const { ok, output } = runProgram(process.execPath, ['tools/bundle-cli.ts', file]);
    expect(ok, output).toBe(true);
    console.log(output.trim());
    // The next start finds the program compiled.
    const { status } = spawnSync(process.execPath, [file, '--help'], { env: { XDG_CACHE_HOME: folder } });
    expect(status).toBe(0);
    const cache = path.join(folder, 'postrider');
    const sizes = (await readdir(cache, { recursive: true })).map(
      async (name) => (await stat(path.join(cache, name))).size,
    );
    expect(Math.max(...(await Promise.all(sizes)))).toBeGreaterThan(100_000);
  } finally {
    await rm(folder, { recursive: true });
  }
});
