import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderRequirementsDoc } from '../../tools/generate/requirements-doc.ts';
import { auditRequirements, type RequirementsAudit } from '../requirements/audit.ts';
import { collectCitations, findCitations } from '../requirements/citations.ts';
import { REQUIREMENTS, type Requirement } from '../requirements.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('the tests against the requirements', () => {
  let audit: RequirementsAudit;
  beforeAll(async () => {
    audit = auditRequirements(REQUIREMENTS, await collectCitations(ROOT));
  });

  it('cites no id that does not exist', () => {
    expect(audit.unknown).toEqual([]);
  });

  it('leaves no requirement unproven', () => {
    expect(audit.unproven).toEqual([]);
  });

  it('gives every requirement a unique id', () => {
    expect(audit.duplicated).toEqual([]);
  });
});

describe('the requirements', () => {
  it('have ids that tags can cite', () => {
    const unreadable = REQUIREMENTS.filter(
      ({ id }) => findCitations(`it('x', { tags: ['${id}'] }, run)`, '')[0]?.id !== id,
    );
    expect(unreadable.map(({ id }) => id)).toEqual([]);
  });

  it('start their ids alike within a section, and differently in other sections', () => {
    const prefixes = Map.groupBy(REQUIREMENTS, ({ id }) => id.split('.')[0]);
    const sections = Map.groupBy(REQUIREMENTS, ({ section }) => section);
    const sectionsOfPrefix = [...prefixes].map(([prefix, rows]) => [
      prefix,
      new Set(rows.map((row) => row.section)).size,
    ]);
    expect(sectionsOfPrefix.filter(([, count]) => count !== 1)).toEqual([]);
    expect(prefixes.size).toBe(sections.size);
  });

  it('are distinct within their section', () => {
    const spoken = REQUIREMENTS.map(({ section, sentence }) => `${section}: ${sentence.trim()}`);
    expect(spoken.filter((sentence, index) => sentence.endsWith(': ') || spoken.indexOf(sentence) !== index)).toEqual(
      [],
    );
  });
});

describe('the scan for citations', () => {
  const idsIn = (source: string) => findCitations(source, 'a.test.ts').map(({ id }) => id);

  it('finds every id in the tags of it, test and describe', () => {
    expect(idsIn(`it('rejects eleven', { tags: ['send-request.tags', 'limits.tags'] }, () => {});`)).toEqual([
      'send-request.tags',
      'limits.tags',
    ]);
    expect(
      idsIn(`describe("one", { tags: ['a.one'] }, () => { test('two', { timeout: 5, tags: 'a.two' }, run); });`),
    ).toEqual(['a.one', 'a.two']);
  });

  it('returns the whole title and the file', () => {
    expect(findCitations(`it('keeps ' +\n  "a sender\\'s case", { tags: ['a.b-c'] }, run)`, 'test/x.test.ts')).toEqual([
      { id: 'a.b-c', title: "keeps a sender's case", file: 'test/x.test.ts' },
    ]);
  });

  it('finds the tags after the data of a parameterized test', () => {
    const tags = (id: string) => `{ tags: ['${id}'] }`;
    expect(idsIn(`it.each([['(', ")"], ['[x.y]', /\\(['"]/]])('refuses %s', ${tags('a.each')}, run)`)).toEqual([
      'a.each',
    ]);
    expect(idsIn(`test.each\`a | b\n \${'('} | \${\`)\`}\`(\`takes $a\`, ${tags('a.table')}, run)`)).toEqual([
      'a.table',
    ]);
    expect(idsIn(`describe.concurrent.for<[string, () => void]>(cases)('in', ${tags('a.for')}, run)`)).toEqual([
      'a.for',
    ]);
    expect(idsIn(`it.skipIf(process.platform === 'win32')('on unix', ${tags('a.unix')}, run)`)).toEqual(['a.unix']);
  });

  it('sees only tags: not titles, bodies, comments, data, nor code in a string', () => {
    expect(
      idsIn(`it('plain [a.title]', () => { run({ tags: ['a.body'] }); }); // it('x', { tags: ['a.comment'] })`),
    ).toEqual([]);
    expect(idsIn(`const fixture = "it('x', { tags: ['a.string'] })"; submit('x', { tags: ['a.other'] });`)).toEqual([]);
    expect(idsIn(`it.each([{ tags: ['a.data'] }])(title, run);`)).toEqual([]);
  });

  it('continues correctly after divisions, regular expressions and nested templates', () => {
    const first = `it('first', { tags: ['a.first'] }, run);`;
    expect(idsIn(`const half = (a + b) / 2; ${first} const c = d / 2;`)).toEqual(['a.first']);
    expect(idsIn(`const isQuote = /['"\`]/.test(x); ${first}`)).toEqual(['a.first']);
    expect(idsIn(`const s = \`a \${b ? \`'\${c}\` : '}'} d\`; ${first}`)).toEqual(['a.first']);
  });

  it('counts nothing that is skipped, marked as todo or expected to fail', () => {
    const tagged = (id: string) => `'x', { tags: ['${id}'] }, run`;
    expect(
      idsIn(`it.skip(${tagged('a.skip')}); it.todo(${tagged('a.todo')}); test.fails(${tagged('a.fails')});`),
    ).toEqual([]);
    expect(idsIn(`describe.skip('all', () => { it(${tagged('a.inside')}); });\nit(${tagged('a.after')});`)).toEqual([
      'a.after',
    ]);
    expect(idsIn(`it.skip.each([1])(${tagged('a.each')}); it(${tagged('a.after')});`)).toEqual(['a.after']);
  });
});

describe('the audit', () => {
  const one: Requirement = { id: 'a.one', section: 'A', sentence: 'One.' };
  const two: Requirement = { id: 'a.two', section: 'A', sentence: 'Two.' };
  const cite = (id: string) => ({ id, title: 'does it', file: 'test/a.test.ts' });

  it('finds nothing when each requirement is cited', () => {
    const audit = auditRequirements([one, two], [cite('a.one'), cite('a.two'), cite('a.two')]);
    expect(audit).toEqual({ unknown: [], unproven: [], duplicated: [] });
  });

  it('names unknown, unproven and duplicate ids', () => {
    expect(auditRequirements([one, two, two], [cite('a.two'), cite('b.gone')])).toEqual({
      unknown: ['b.gone (test/a.test.ts: does it)'],
      unproven: ['a.one'],
      duplicated: ['a.two'],
    });
  });
});

describe('the document', () => {
  const requirements: readonly Requirement[] = [
    { id: 'a.one', section: 'A', sentence: 'One of `x|y`.' },
    { id: 'b.bare', section: 'B', sentence: 'Bare.' },
  ];

  it('has a table for each section, with the proof of each requirement', () => {
    const title = 'takes <p> and x|y';
    const document = renderRequirementsDoc(requirements, [
      { id: 'a.one', title, file: 'test/a.test.ts' },
      { id: 'a.one', title, file: 'test/a.test.ts' },
      { id: 'a.one', title: 'again', file: 'test/b.test.ts' },
    ]);
    expect(document).toContain(
      [
        '## A',
        '',
        '| id | requirement | tests |',
        '|---|---|---|',
        '| `a.one` | One of `x\\|y`. | [test/a.test.ts](../test/a.test.ts): takes \\<p\\> and x\\|y<br>[test/b.test.ts](../test/b.test.ts): again |',
        '',
        '## B',
        '',
        '| id | requirement | tests |',
        '|---|---|---|',
        '| `b.bare` | Bare. | no test |',
        '',
      ].join('\n'),
    );
  });

  it('counts as proven only what a test cites', () => {
    const document = renderRequirementsDoc(requirements, [{ id: 'a.one', title: 'a', file: 'test/a.test.ts' }]);
    expect(document).toContain('2 requirements: 1 proven, 1 without a test.');
  });
});
