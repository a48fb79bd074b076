import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { ROOT, runProgram } from '../../tools/run-program.ts';

/** The format's own program. */
const MCPB = 'tools/agents/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js';

it('is a valid bundle for the program of its format, which finds the same files in it', async () => {
  const place = await mkdtemp(path.join(tmpdir(), 'postrider-mcpb-'));
  try {
    const file = path.join(place, 'postrider.mcpb');
    const folder = path.join(place, 'unpacked');
    for (const args of [
      ['tools/mcpb/main.ts', file],
      [MCPB, 'unpack', file, folder],
      [MCPB, 'validate', path.join(folder, 'manifest.json')],
    ]) {
      const { ok, output } = runProgram(process.execPath, args, ROOT);
      expect(ok, output).toBe(true);
    }
    const unpacked = await readdir(folder, { recursive: true, withFileTypes: true });
    const names = unpacked.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    const expected = Object.keys(unzipSync(await readFile(file))).map((name) => path.join(folder, name));
    expect(names.sort()).toEqual(expected.sort());
  } finally {
    await rm(place, { recursive: true });
  }
});
