import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliIo } from '../cli-io.ts';
import { usageFailure } from '../failure.ts';

const FALLBACK = process.platform === 'win32' ? 'notepad' : 'vi';

/**
 * Opens a text in the user's editor and returns the saved text. The editor uses the terminal until it ends. Only the user can read the file,
 * which is deleted afterwards. Rejects with a CliFailure if the editor does not start or fails.
 */
export async function openEditor(text: string, { env }: Pick<CliIo, 'env'>): Promise<string> {
  const command = env['VISUAL'] || env['EDITOR'] || FALLBACK;
  const folder = await mkdtemp(join(tmpdir(), 'postrider-edit-'));
  try {
    const path = join(folder, 'held-send.txt');
    await writeFile(path, text, { mode: 0o600 });
    const code = await run(command, path, env);
    if (code !== 0) throw editorFailure(command, `ended with ${code}`);
    return await readFile(path, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs in a shell, because EDITOR can contain arguments. The path is a separate argument and never part of the command. */
async function run(command: string, path: string, env: CliIo['env']): Promise<number | null> {
  const [file, argv] =
    process.platform === 'win32' ? [`${command} "${path}"`, []] : ['/bin/sh', ['-c', `${command} "$1"`, 'sh', path]];
  const child = spawn(file, argv, { stdio: 'inherit', env: { ...env }, shell: process.platform === 'win32' });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  // Ctrl-C in the editor also reaches this process, which must not end before it deletes the file.
  process.on('SIGINT', ignoreSignal);
  child.once('error', (error) => reject(editorFailure(command, error.message)));
  child.once('exit', (code) => resolve(code));
  try {
    return await promise;
  } finally {
    process.off('SIGINT', ignoreSignal);
  }
}

function ignoreSignal(): void {}

function editorFailure(command: string, what: string) {
  return usageFailure(`the editor ${command} ${what}`, 'Set EDITOR to another editor.');
}
