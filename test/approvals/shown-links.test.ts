import { describe, expect, it } from 'vitest';
import { formatSize } from '../../packages/server/src/approvals/hold-words.ts';
import { readShownLinks } from '../../packages/server/src/approvals/web/shown-links.ts';
import { timeLeft } from '../../packages/server/src/html/time-words.ts';

describe('the links that an approver is shown', () => {
  it.each([
    ['https://evil.example/', 'https://acme.example/pay', 'acme.example'],
    ['https://evil.example/', 'Go to ACME.example now', 'acme.example'],
    ['https://acme.example.evil.example/', 'acme.example', 'acme.example'],
    ['https://notacme.example/', 'acme.example', 'acme.example'],
    ['//evil.example/x', 'acme.example', 'acme.example'],
    ['mailto:a@evil.example', 'ada@acme.example', 'acme.example'],
    ['https://www.acme.example/x?y', 'acme.example', null],
    ['https://acme.example/', 'www.acme.example', null],
    ['mailto:ada@acme.example?subject=Hi', 'ada@acme.example', null],
    ['https://evil.example/', 'Pay now', null],
    ['https://evil.example/', 'Version 1.2.3', null],
    ['/relative', 'acme.example', null],
  ])('to %s with the text “%s” are misleading: %s', (href, text, claimed) => {
    expect(readShownLinks(`<p><a href="${href}">${text}</a></p>`)).toEqual([
      { text, target: href, claimedHost: claimed },
    ]);
  });

  it('are found through elements and references, each text and target once', () => {
    const html = `<a href="https://a.example/?x=1&amp;y=2">acme<b>.exam</b>&#112;le</a><a href=' https://b.example '><img></a>
      <a>no link</a><a href="">empty</a><a href="https://b.example"></a><a href="https://c.example">open`;
    expect(readShownLinks(html)).toEqual([
      { text: 'acme.example', target: 'https://a.example/?x=1&y=2', claimedHost: 'acme.example' },
      { text: '', target: 'https://b.example', claimedHost: null },
      { text: 'open', target: 'https://c.example', claimedHost: null },
    ]);
  });

  it('are bounded in number and length', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `<a href="https://a.example/${n}">${'word '.repeat(99)}</a>`);
    const found = readShownLinks(many.join(''));
    expect(found.length).toBeLessThanOrEqual(200);
    expect(found[0]?.text).toHaveLength(120);
    expect(readShownLinks(`<a href="https://a.example/${'x'.repeat(9_999)}">x</a>`)[0]?.target).toHaveLength(500);
  });
});

describe('a misleading link', () => {
  const claims = (html: string) => readShownLinks(html).flatMap(({ claimedHost }) => claimedHost ?? []);
  const deceiving = '<a href="https://evil.example/">acme.example</a>';

  it('is found after hundreds of honest ones', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `<a href="https://a.example/${n}">Page ${n}</a>`);
    expect(claims(`${many.join('')}${deceiving}`)).toEqual(['acme.example']);
  });

  it.each([' '.repeat(20_000), '&nbsp;'.repeat(900), 'word '.repeat(500), '<b> </b>'.repeat(5_000)])(
    'is found after long padding in its text (%#)',
    (beginning) => {
      expect(claims(`<a href="https://evil.example/">${beginning}acme.example</a>`)).toEqual(['acme.example']);
    },
  );
});

describe('readable times and sizes', () => {
  const now = new Date('2026-01-31T09:00:00Z');

  it.each([
    [30_000, 'in 1 minute'],
    [45 * 60_000, 'in 45 minutes'],
    [119 * 60_000, 'in 119 minutes'],
    [3 * 3_600_000, 'in 3 hours'],
    [47 * 3_600_000, 'in 47 hours'],
    [72 * 3_600_000, 'in 3 days'],
    [-1, 'in 1 minute'],
  ])('%d ms from now are %s', (afterMs, words) => {
    expect(timeLeft(new Date(now.getTime() + afterMs), now)).toBe(words);
  });

  it.each([
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_500, '2 KB'],
    [2_340_000, '2.3 MB'],
  ])('%d bytes are %s', (bytes, words) => {
    expect(formatSize(bytes)).toBe(words);
  });
});
