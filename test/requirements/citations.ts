import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { maskLiterals } from './code-mask.ts';

/** A requirement id among a test's tags: the test's claim that it proves this requirement. */
export interface Citation {
  readonly id: string;
  readonly title: string;
  /** Path from the repository's root, with forward slashes. */
  readonly file: string;
}

/** Reads the citations of all tests and benchmarks under the repository's root, in the order of files and of lines. */
export async function collectCitations(root: string): Promise<readonly Citation[]> {
  const files: string[] = [];
  for await (const file of glob(['test/**/*.test.ts', 'bench/**/*.ts'], { cwd: root })) {
    files.push(file.split(path.sep).join('/'));
  }
  const citations = await Promise.all(
    files.sort().map(async (file) => findCitations(await readFile(path.join(root, file), 'utf8'), file)),
  );
  return citations.flat();
}

/**
 * Finds the ids in the `tags` of `it`, `test` and `describe`: in the options, written out as an object behind the title. Options that are a
 * variable are not seen: a citation has to be where a reader looks for it. A skipped test, a test that is still to be written and a test
 * that is expected to fail prove nothing, so nothing in such a call counts.
 */
export function findCitations(source: string, file: string): readonly Citation[] {
  const code = maskLiterals(source);
  const citations: Citation[] = [];
  const calls = new RegExp(TEST_CALL);
  for (let call = calls.exec(code); call !== null; call = calls.exec(code)) {
    const modifiers = (call[1] ?? '').split('.').map((modifier) => modifier.trim());
    const open = argumentsStart(code, calls.lastIndex, modifiers);
    if (open === null) continue;
    if (modifiers.some((modifier) => PROVES_NOTHING.has(modifier))) calls.lastIndex = closingOffset(code, open);
    else citations.push(...citedIn(source, code, open + 1, file));
  }
  return citations;
}

const TEST_CALL = /(?<![\w$.])(?:it|test|describe)((?:\s*\.\s*\w+)*)(?=\s*[(<`])/g;
const PROVES_NOTHING = new Set(['skip', 'todo', 'fails']);
/** `it.each(cases)('title', …)`: these take arguments of their own before the call that carries the title. */
const TAKES_ARGUMENTS_FIRST = new Set(['each', 'for', 'skipIf', 'runIf']);
const TAGS = /\btags:\s*(\[[^\]]*\]|'[^']*')/;

function citedIn(source: string, code: string, start: number, file: string): readonly Citation[] {
  const { title, end } = readTitle(source, code, start);
  const [, list = ''] = TAGS.exec(readOptions(source, code, end)) ?? [];
  return [...list.matchAll(/'([^']+)'/g)].map((match) => ({ id: match[1] ?? '', title, file }));
}

/** The object that follows the title; empty where there is none. */
function readOptions(source: string, code: string, afterTitle: number): string {
  if (code.charAt(afterTitle) !== ',') return '';
  const start = skipSpace(code, afterTitle + 1);
  return code.charAt(start) === '{' ? source.slice(start, closingOffset(code, start, '{', '}')) : '';
}

/** The offset of the bracket that opens the arguments with the title, or null where there is no such call. */
function argumentsStart(code: string, afterName: number, modifiers: readonly string[]): number | null {
  let at = skipTypeArguments(code, skipSpace(code, afterName));
  if (modifiers.some((modifier) => TAKES_ARGUMENTS_FIRST.has(modifier))) {
    at = skipSpace(code, code.charAt(at) === '`' ? code.indexOf('`', at + 1) + 1 : closingOffset(code, at));
  }
  return code.charAt(at) === '(' ? at : null;
}

/** `it.each<[string, () => void]>(…)`: the arrow's `>` closes nothing. */
function skipTypeArguments(code: string, start: number): number {
  if (code.charAt(start) !== '<') return start;
  let at = start;
  let depth = 0;
  do {
    if (code.charAt(at) === '<') depth += 1;
    if (code.charAt(at) === '>' && code.charAt(at - 1) !== '=') depth -= 1;
    at += 1;
  } while (depth > 0 && at < code.length);
  return skipSpace(code, at);
}

/** The offset after the bracket that closes the one at `open`. */
function closingOffset(code: string, open: number, opening = '(', closing = ')'): number {
  let at = open;
  let depth = 0;
  do {
    if (code.charAt(at) === opening) depth += 1;
    if (code.charAt(at) === closing) depth -= 1;
    at += 1;
  } while (depth > 0 && at < code.length);
  return at;
}

/** Joins the literals of the first argument; empty where it does not begin with a literal. `end` is the offset of what follows. */
function readTitle(source: string, code: string, start: number): { readonly title: string; readonly end: number } {
  let title = '';
  let at = skipSpace(code, start);
  while (/['"`]/.test(code.charAt(at))) {
    const end = code.indexOf(code.charAt(at), at + 1);
    if (end === -1) break;
    title += source.slice(at + 1, end).replaceAll(/\\(['"`\\])/g, '$1');
    at = skipSpace(code, end + 1);
    if (code.charAt(at) === '+') at = skipSpace(code, at + 1);
  }
  return { title, end: at };
}

function skipSpace(code: string, start: number): number {
  let at = start;
  while (/\s/.test(code.charAt(at))) at += 1;
  return at;
}
