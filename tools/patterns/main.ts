import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { listFiles } from '../list-files.ts';
import { checkPatterns } from './check-patterns.ts';
import { PATTERN_EXCEPTIONS } from './exceptions.ts';
import { findPatterns } from './find-patterns.ts';

/**
 * `node tools/patterns/main.ts`: proves that every regular expression of the packages runs in linear time. Patterns in `proven.txt` are
 * skipped; `--write` updates that file, and `--all` proves everything, which takes some minutes.
 */
const PROVEN = 'tools/patterns/proven.txt';
const SOURCES = ['core', 'review', 'server', 'mcp', 'sdk', 'cli'].map((name) => `packages/${name}/src`);

const files = SOURCES.flatMap((folder) => listFiles(folder).map((file) => `${folder}/${file}`));
const found = files.filter((file) => /\.tsx?$/.test(file)).flatMap((file) => findPatterns(file));
const known = process.argv.includes('--all') || !existsSync(PROVEN) ? [] : readFileSync(PROVEN, 'utf8').split('\n');
const { faults, proven } = await checkPatterns(found, PATTERN_EXCEPTIONS, new Set(known));
for (const fault of faults) console.log(fault);
if (faults.length > 0) {
  console.log('Rewrite them, or name what bounds their input in tools/patterns/exceptions.ts.');
  process.exitCode = 1;
}
if (process.argv.includes('--write')) writeFileSync(PROVEN, `${proven.join('\n')}\n`);
console.log(
  `${found.length} patterns, ${proven.length} different ones proven, ${PATTERN_EXCEPTIONS.length} exceptions`,
);
