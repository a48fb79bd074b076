import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTree } from './source-tree.ts';

const MAX_DECISION_LINES = 120;
/** Registries use mirrors and move; only the lock file may contain what a tool wrote into it. */
const REGISTRY_HOSTS = [
  ['registry', 'npmjs', 'org'],
  ['registry', 'yarnpkg', 'com'],
  ['npm', 'pkg', 'github', 'com'],
  ['pypi', 'org'],
  ['proxy', 'golang', 'org'],
].map((labels) => labels.join('.'));
/** What is true of one machine or of how the work was organised says nothing to a reader. Composed, so that this file has none of it either. */
const WORKPLACE_WORDS = new RegExp(
  [
    ['\\bhelper', ' session\\b'],
    ['\\bscratch', 'pad\\b'],
    ['/work', '/(main|shared)\\b'],
    ['/tmp', '/brief\\b'],
    ['/opt', '/node\\d'],
    ['/home', '/\\w+/'],
  ]
    .map((parts) => parts.join(''))
    .join('|'),
  'i',
);

const tree = readTree();
const documents = tree.filter((file) => file.path.endsWith('.md'));

describe('docs/decisions', () => {
  const decisions = tree
    .filter((file) => file.path.startsWith('docs/decisions/'))
    .sort((a, b) => (a.path < b.path ? -1 : 1));

  it('are numbered without gaps, in the name and in the title', () => {
    const numbers = decisions.map((file) => /^docs\/decisions\/(\d{4})-[a-z0-9-]+\.md$/.exec(file.path)?.[1]);
    expect(numbers).toEqual(decisions.map((_, index) => String(index + 1).padStart(4, '0')));
    const titles = decisions.map((file) => Number(/^# (\d+)\. \S/.exec(file.text)?.[1]));
    expect(titles).toEqual(decisions.map((_, index) => index + 1));
  });

  it('state a status and a date below the title', () => {
    const head = /^Status: (?:accepted|superseded by (\d+))\nDate: \d{4}-\d{2}-\d{2}$/;
    const faulty = decisions.filter(({ text }) => {
      const match = head.exec(text.split('\n').slice(2, 4).join('\n'));
      return match === null || Number(match[1] ?? 1) > decisions.length;
    });
    expect(faulty.map((file) => file.path)).toEqual([]);
  });

  it(`are short: under ${MAX_DECISION_LINES} lines`, () => {
    const long = decisions.filter(({ text }) => text.trimEnd().split('\n').length >= MAX_DECISION_LINES);
    expect(long.map((file) => file.path)).toEqual([]);
  });
});

describe('documents', () => {
  it('link to files that exist', () => {
    const known = new Set(tree.flatMap((file) => [file.path, ...foldersOf(file.path)]));
    const broken = documents.flatMap((file) =>
      [...file.text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
        .map((match) => path.posix.normalize(path.posix.join(path.posix.dirname(file.path), match[1] ?? '')))
        .filter((target) => !known.has(target.replace(/\/$/, '')))
        .map((target) => `${file.path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

describe('the files of the repository', () => {
  const written = tree.filter((file) => file.path !== 'pnpm-lock.yaml');

  it('name no registry host', () => {
    const found = written.filter(({ text }) => REGISTRY_HOSTS.some((host) => text.includes(host)));
    expect(found.map((file) => file.path)).toEqual([]);
  });

  it('mention the product alone', () => {
    expect(written.filter(({ text }) => WORKPLACE_WORDS.test(text)).map((file) => file.path)).toEqual([]);
  });
});

function foldersOf(file: string): string[] {
  const folder = path.posix.dirname(file);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}
