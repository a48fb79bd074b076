import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type VerifyPasskey = (claims: object) => readonly string[];

/** The second program in docs/receipts.md: it checks the signatures of passkeys in the claims of a receipt. */
export async function readPasskeyProgram(): Promise<VerifyPasskey> {
  const page = await readFile(join(import.meta.dirname, '../../docs/receipts.md'), 'utf8');
  const [, , code = ''] = page.split('```js\n').map((part) => part.split('```')[0]);
  const file = join(await mkdtemp(join(tmpdir(), 'postrider-passkey-')), 'verify-passkeys.mjs');
  await writeFile(file, code ?? '');
  return (await import(pathToFileURL(file).href)).verifyPasskeys;
}
