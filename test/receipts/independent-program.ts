import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type VerifyReceipt = (
  receipt: string,
  keys: readonly object[],
  issuer: string,
) => Readonly<Record<string, unknown>>;

export interface IndependentProgram {
  readonly file: string;
  readonly lines: readonly string[];
  readonly verifyReceipt: VerifyReceipt;
}

/** The program in docs/receipts.md, as a reader would save it. */
export async function readIndependentProgram(): Promise<IndependentProgram> {
  const page = await readFile(join(import.meta.dirname, '../../docs/receipts.md'), 'utf8');
  const [, code = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
  const file = join(await mkdtemp(join(tmpdir(), 'postrider-receipt-')), 'verify-receipt.mjs');
  await writeFile(file, code);
  const { verifyReceipt } = await import(pathToFileURL(file).href);
  return { file, lines: code.trimEnd().split('\n'), verifyReceipt };
}
