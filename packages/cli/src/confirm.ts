import type { CliIo } from './cli-io.ts';
import { singleLine } from './output/untrusted-text.ts';

/** Prompts at the terminal; only y and yes confirm. */
export async function isConfirmed(
  question: string,
  { stdin, stderr }: Pick<CliIo, 'stdin' | 'stderr'>,
): Promise<boolean> {
  stderr.write(`${question} Type y: `);
  let typed = '';
  for await (const chunk of stdin) {
    typed += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    if (typed.includes('\n')) break;
  }
  stdin.destroy?.();
  return /^y(es)?$/i.test(singleLine(typed));
}
