import { describe, expect, it } from 'vitest';
import { readProtectedLinks } from '../../packages/server/src/links/protected-links.ts';
import { tagText } from '../../packages/server/src/links/tag-text.ts';
import { toUtmTags } from '../../packages/server/src/links/utm-tags.ts';

const TAGS = toUtmTags({ source: 's', medium: 'm', campaign: 'c', override_existing: false });
const ADDED = 'utm_source=s&utm_medium=m&utm_campaign=c';
const tag = (text: string, headers = {}) => tagText(text, TAGS, readProtectedLinks(headers), 2_000_000);

describe('tagging text', () => {
  it.each([
    ['See https://x.test/a.', `See https://x.test/a?${ADDED}.`],
    ['(https://x.test/a)', `(https://x.test/a?${ADDED})`],
    ['https://x.test/a_(b)', `https://x.test/a_(b)?${ADDED}`],
    ['<https://x.test/a>', `<https://x.test/a?${ADDED}>`],
    ['"https://x.test/a?b=1#c", he said', `"https://x.test/a?b=1&${ADDED}#c", he said`],
    ['Really https://x.test/a?!', `Really https://x.test/a?${ADDED}?!`],
    ['a (https://x.test/a)b', `a (https://x.test/a?${ADDED})b`],
    ['[here](https://x.test/a)', `[here](https://x.test/a?${ADDED})`],
    ['[https://x.test/a](https://x.test/b)', `[https://x.test/a?${ADDED}](https://x.test/b?${ADDED})`],
    ['HTTP://x.test/a\nhttps://y.test/?b=1', `HTTP://x.test/a?${ADDED}\nhttps://y.test/?b=1&${ADDED}`],
    ['https://x.test/a…', `https://x.test/a?${ADDED}…`],
    ['https://x.test/a\u3002', `https://x.test/a?${ADDED}\u3002`],
    ['See https://x.test/{{ name }}/a.', `See https://x.test/{{ name }}/a?${ADDED}.`],
    ['(https://x.test/{{name}}).', `(https://x.test/{{name}}?${ADDED}).`],
    ['https://x.test/{{ a | default: "(#" }}', `https://x.test/{{ a | default: "(#" }}?${ADDED}`],
    ['https://x.test/?a[]=1 ', `https://x.test/?a[]=1&${ADDED} `],
  ])('tags the URL and leaves the sentence around it: %s', (text, tagged) => {
    expect(tag(text)).toBe(tagged);
  });

  it.each([
    'https://x.test/{{ name',
    'https://x.test/{id}',
    '{{unsubscribe_url}}',
    'mailto:a@x.test',
    'x.test/a',
    'http:// and https://',
    'xhttps://x.test/',
  ])('leaves this unchanged: %s', (text) => {
    expect(tag(text)).toBe(text);
  });

  it('leaves the unsubscribe link of the header unchanged', () => {
    const text = 'Off: https://x.test/off?a=1.';
    expect(tag(text, { 'List-Unsubscribe': '<https://x.test/off?a=1>' })).toBe(text);
  });

  it('takes linear time, whatever the input', () => {
    for (const piece of ['https://x', 'https://x.test/)', 'https://x.test/](', ')', 'https://a ']) {
      const began = performance.now();
      tagText(piece.repeat(1_900_000 / piece.length), TAGS, readProtectedLinks({}), 2_000_000);
      expect(performance.now() - began).toBeLessThan(2_000);
    }
  });
});
