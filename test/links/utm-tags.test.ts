import { describe, expect, it } from 'vitest';
import { tagUrl, toUtmTags } from '../../packages/server/src/links/utm-tags.ts';
import { seededRandom } from '../harness/seeded-random.ts';

const UTM = { source: 's', medium: 'm', campaign: 'c', override_existing: false };
const ALL = 'utm_source=s&utm_medium=m&utm_campaign=c';
const tag = (url: string, more = {}) => tagUrl(url, toUtmTags({ ...UTM, ...more }));

describe('tagging a URL', () => {
  it.each([
    ['https://x.test/a', `https://x.test/a?${ALL}`],
    ['https://x.test', `https://x.test/?${ALL}`],
    ['https://x.test?', `https://x.test?${ALL}`],
    ['https://x.test/?a=1', `https://x.test/?a=1&${ALL}`],
    ['https://x.test/?a=1&', `https://x.test/?a=1&${ALL}`],
    ['https://x.test/a#b', `https://x.test/a?${ALL}#b`],
    ['https://x.test#b', `https://x.test/?${ALL}#b`],
    ['https://x.test/?a=1#/b?c=d', `https://x.test/?a=1&${ALL}#/b?c=d`],
    ['https://x.test/#/b?utm_source=z', `https://x.test/?${ALL}#/b?utm_source=z`],
    ['https://x.test/?a=%20+%C3%BC&a=&a', `https://x.test/?a=%20+%C3%BC&a=&a&${ALL}`],
    ['https://x.test/?UTM_SOURCE=z', `https://x.test/?UTM_SOURCE=z&${ALL}`],
  ])('adds the parameters after the query and before the fragment: %s', (url, tagged) => {
    expect(tag(url)).toBe(tagged);
  });

  it('adds term and content when they are set, in the usual order', () => {
    expect(tag('https://x.test/', { content: 'top', term: 'shoes' })).toBe(
      `https://x.test/?${ALL}&utm_term=shoes&utm_content=top`,
    );
  });

  it('encodes every value, so that it cannot end the parameter or the attribute around it', () => {
    const value = `a b&c=d#e'f"g<h>ü%`;
    const tagged = new URL(tag('https://x.test/', { campaign: value }));
    expect(tagged.searchParams.get('utm_campaign')).toBe(value);
    expect(tagged.href).not.toMatch(/['"<> ]/);
  });

  it.each([
    ['https://x.test/?utm_source=z&a=1', 'https://x.test/?utm_source=z&a=1&utm_medium=m&utm_campaign=c'],
    ['https://x.test/?utm_source=', 'https://x.test/?utm_source=&utm_medium=m&utm_campaign=c'],
    ['https://x.test/?utm%5Fsource=z', 'https://x.test/?utm%5Fsource=z&utm_medium=m&utm_campaign=c'],
    [`https://x.test/?${ALL}#a`, `https://x.test/?${ALL}#a`],
  ])('preserves parameters the author set, each by itself: %s', { tags: ['utm.override-existing'] }, (url, tagged) => {
    expect(tag(url)).toBe(tagged);
  });

  it.each([
    ['https://x.test/?utm_source=z&a=1', 'https://x.test/?utm_source=s&a=1&utm_medium=m&utm_campaign=c'],
    ['https://x.test/?a=1&utm_campaign=z#b', 'https://x.test/?a=1&utm_campaign=c&utm_source=s&utm_medium=m#b'],
    ['https://x.test/?utm_source=y&a=1&utm_source=z', 'https://x.test/?utm_source=s&a=1&utm_medium=m&utm_campaign=c'],
    ['https://x.test/?utm_source=y&utm_source=z', 'https://x.test/?utm_source=s&utm_medium=m&utm_campaign=c'],
    ['https://x.test/?utm_term=z', `https://x.test/?utm_term=z&${ALL}`],
  ])(
    'replaces them with override_existing in place, repeated ones by one: %s',
    { tags: ['utm.override-existing'] },
    (url, tagged) => {
      expect(tag(url, { override_existing: true })).toBe(tagged);
    },
  );

  it('changes only these parameters of a generated URL, and is idempotent', () => {
    const random = seededRandom('tagged URLs');
    for (let round = 0; round < 5_000; round += 1) {
      const names = Array.from({ length: random.integer(0, 5) }, () =>
        random.pick(['a', 'b', 'utm_source', 'utm_medium', 'utm_id', 'utm%5Fcampaign', '']),
      );
      const query = names
        .map((name) => `${name}${random.pick(['=', '', `=${random.integer(0, 9)}`, '=%20+'])}`)
        .join('&');
      const url = `https://x.test/${random.pick(['', 'a/b'])}${random.pick(['', '?'])}${query === '' ? '' : `?${query}`}${random.pick(['', '#', '#f?utm_source=1&b'])}`;
      const override_existing = random.chance(0.5);
      const tagged = tag(url, { override_existing });
      const [before, after] = [new URL(url), new URL(tagged)];
      expect([after.origin, after.pathname, after.hash]).toEqual([before.origin, before.pathname, before.hash]);
      const others = ({ searchParams }: URL) =>
        [...searchParams].filter(
          ([name, value]) => !/^utm_(source|medium|campaign)$/.test(name) && name + value !== '',
        );
      expect(others(after)).toEqual(others(before));
      for (const [name, value] of new URLSearchParams(ALL)) {
        const existing = before.searchParams.getAll(name);
        const kept = override_existing || existing.length === 0 ? [value] : existing;
        expect({ url, values: after.searchParams.getAll(name) }).toEqual({ url, values: kept });
      }
      expect(tag(tagged, { override_existing })).toBe(tagged);
    }
  });
});
