import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderRequirementsDoc } from '../../tools/generate/requirements-doc.ts';
import { auditRequirements, type RequirementsAudit } from '../requirements/audit.ts';
import { collectCitations, findCitations } from '../requirements/citations.ts';
import { CAPABILITIES, REQUIREMENTS, type Requirement } from '../requirements.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('the tests against the requirements', () => {
  let audit: RequirementsAudit;
  beforeAll(async () => {
    audit = auditRequirements(REQUIREMENTS, await collectCitations(ROOT));
  });

  it('cites no id that does not exist', () => {
    expect(audit.unknown).toEqual([]);
  });

  it('leaves no requirement unproven that waits for nothing', () => {
    expect(audit.unproven).toEqual([]);
  });

  it('cites no requirement that is still marked as waiting: what is proven is `active`', () => {
    expect(audit.early).toEqual([]);
  });

  it('gives every requirement an id of its own', () => {
    expect(audit.duplicated).toEqual([]);
  });
});

describe('the requirements', () => {
  it('have ids that a title can cite', () => {
    const unreadable = REQUIREMENTS.filter(({ id }) => findCitations(`it('[${id}]')`, '')[0]?.id !== id);
    expect(unreadable.map(({ id }) => id)).toEqual([]);
  });

  it('begin their ids alike within a section, and otherwise in every other section', () => {
    const prefixes = Map.groupBy(REQUIREMENTS, ({ id }) => id.split('.')[0]);
    const sections = Map.groupBy(REQUIREMENTS, ({ section }) => section);
    const sectionsOfPrefix = [...prefixes].map(([prefix, rows]) => [
      prefix,
      new Set(rows.map((row) => row.section)).size,
    ]);
    expect(sectionsOfPrefix.filter(([, count]) => count !== 1)).toEqual([]);
    expect(prefixes.size).toBe(sections.size);
  });

  it('say something that no other requirement of their section says', () => {
    const spoken = REQUIREMENTS.map(({ section, sentence }) => `${section}: ${sentence.trim()}`);
    expect(spoken.filter((sentence, index) => sentence.endsWith(': ') || spoken.indexOf(sentence) !== index)).toEqual(
      [],
    );
  });

  it('wait only for capabilities that are described in one line', () => {
    expect(Object.values(CAPABILITIES).filter((description) => !/^\S.*\.$/.test(description))).toEqual([]);
  });
});

describe('the scan for citations', () => {
  const idsIn = (source: string) => findCitations(source, 'a.test.ts').map(({ id }) => id);

  it('finds every id in the titles of it, test, describe and bench', () => {
    expect(idsIn(`it('refuses eleven [send-request.tags] [limits.tags]', () => {});`)).toEqual([
      'send-request.tags',
      'limits.tags',
    ]);
    expect(
      idsIn(`describe("one [a.one]", () => { test('two [a.two]', run); });\nbench('three [a.three]', run);`),
    ).toEqual(['a.one', 'a.two', 'a.three']);
  });

  it('answers the whole title and the file', () => {
    expect(findCitations(`it('keeps ' +\n  "a sender\\'s case [a.b-c]", run)`, 'test/x.test.ts')).toEqual([
      { id: 'a.b-c', title: "keeps a sender's case [a.b-c]", file: 'test/x.test.ts' },
    ]);
  });

  it('finds the title behind the data of a parameterised test', () => {
    expect(idsIn(`it.each([['(', ")"], ['[x.y]', /\\(['"]/]])('refuses %s [a.each]', run)`)).toEqual(['a.each']);
    expect(idsIn(`test.each\`a | b\n \${'('} | \${\`)\`}\`(\`takes $a [a.table]\`, run)`)).toEqual(['a.table']);
    expect(idsIn(`describe.concurrent.for<[string, () => void]>(cases)('in [a.for]', run)`)).toEqual(['a.for']);
    expect(idsIn(`it.skipIf(process.platform === 'win32')('on unix [a.unix]', run)`)).toEqual(['a.unix']);
  });

  it('sees only titles: not bodies, comments, data, nor code that stands in a string', () => {
    expect(idsIn(`it('plain', () => { expect('[a.body]').toBe(1); }); // it('[a.comment]')`)).toEqual([]);
    expect(idsIn(`/* it('[a.block]') */ const fixture = "it('[a.string]')"; submit('[a.other]');`)).toEqual([]);
    expect(idsIn(`const fixture = \`\${'\`'} it('[a.template]')\`;`)).toEqual([]);
    expect(idsIn("const pattern = /[/'] it\\('[a.pattern]'/;")).toEqual([]);
    expect(idsIn(`it(title, run, '[a.late]'); suite.it('[a.method]'); it.each(['[a.data]'])(title, run);`)).toEqual([]);
  });

  it('goes on rightly after divisions, regular expressions and nested templates', () => {
    expect(idsIn("const half = (a + b) / 2; it('first [a.first]', run); const c = d / 2;")).toEqual(['a.first']);
    expect(idsIn("const isQuote = /['\"`]/.test(x); it('next [a.next]', run);")).toEqual(['a.next']);
    expect(idsIn(`const s = \`a \${b ? \`'\${c}\` : '}'} d\`; it('last [a.last]', run);`)).toEqual(['a.last']);
  });

  it('counts nothing that is skipped, still to be written or expected to fail', () => {
    expect(idsIn(`it.skip('[a.skip]', run); it.todo('[a.todo]'); test.fails('[a.fails]', run);`)).toEqual([]);
    expect(idsIn(`describe.skip('all', () => { it('[a.inside]', run); });\nit('runs [a.after]', run);`)).toEqual([
      'a.after',
    ]);
    expect(idsIn(`it.skip.each([1])('[a.each]', run); it('runs [a.after]', run);`)).toEqual(['a.after']);
  });
});

describe('the audit', () => {
  const now: Requirement = { id: 'a.now', section: 'A', sentence: 'Now.', deferredTo: null };
  const later: Requirement = { id: 'a.later', section: 'A', sentence: 'Later.', deferredTo: 'batch' };
  const cite = (id: string) => ({ id, title: `does it [${id}]`, file: 'test/a.test.ts' });

  it('finds nothing where each requirement of today is cited and none of tomorrow', () => {
    const audit = auditRequirements([now, later], [cite('a.now'), cite('a.now')]);
    expect(audit).toEqual({ unknown: [], unproven: [], early: [], duplicated: [] });
  });

  it('names what is unknown, unproven, early and doubled', () => {
    expect(auditRequirements([now, later, later], [cite('a.later'), cite('b.gone')])).toEqual({
      unknown: ['b.gone (test/a.test.ts: does it [b.gone])'],
      unproven: ['a.now'],
      early: ['a.later (test/a.test.ts: does it [a.later])'],
      duplicated: ['a.later'],
    });
  });
});

describe('the document', () => {
  const requirements: readonly Requirement[] = [
    { id: 'a.now', section: 'A', sentence: 'One of `x|y`.', deferredTo: null },
    { id: 'a.later', section: 'A', sentence: 'Later.', deferredTo: 'batch' },
    { id: 'b.bare', section: 'B', sentence: 'Bare.', deferredTo: null },
  ];

  it('gives a table to each section, with the proof or the capability of each requirement', () => {
    const title = 'takes <p> and x|y [a.now] [b.other]';
    const document = renderRequirementsDoc(requirements, [
      { id: 'a.now', title, file: 'test/a.test.ts' },
      { id: 'a.now', title, file: 'test/a.test.ts' },
      { id: 'a.now', title: 'once more [a.now]', file: 'test/b.test.ts' },
    ]);
    expect(document).toContain(
      [
        '## A',
        '',
        '| id | sentence | proven by |',
        '|---|---|---|',
        '| `a.now` | One of `x\\|y`. | [test/a.test.ts](../test/a.test.ts): takes \\<p\\> and x\\|y<br>[test/b.test.ts](../test/b.test.ts): once more |',
        '| `a.later` | Later. | waits for batch |',
        '',
        '## B',
        '',
        '| id | sentence | proven by |',
        '|---|---|---|',
        '| `b.bare` | Bare. | no test |',
        '',
      ].join('\n'),
    );
  });

  it('lists the capabilities that something waits for, and no other', () => {
    const document = renderRequirementsDoc(requirements, []);
    expect(document).toContain('| batch | Up to a hundred sends in one call, each judged by itself. | 1 |');
    expect(document).not.toContain('| webhooks |');
  });

  it('counts as proven only what a test cites', () => {
    const document = renderRequirementsDoc(requirements, [{ id: 'a.now', title: 'a [a.now]', file: 'test/a.test.ts' }]);
    expect(document).toContain('3 requirements: 1 proven, 1 without a test, 1 waiting.');
  });
});
