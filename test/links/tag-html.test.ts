import { describe, expect, it } from 'vitest';
import { scanHtml } from '../../packages/server/src/links/html-scanner.ts';
import { readProtectedLinks } from '../../packages/server/src/links/protected-links.ts';
import { tagHtml } from '../../packages/server/src/links/tag-html.ts';
import { tagUrl, toUtmTags } from '../../packages/server/src/links/utm-tags.ts';
import { isWebLink, urlOf } from '../../packages/server/src/links/web-link.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { generateHtml } from './generated-html.ts';
import { parsedLinks } from './parsed-links.ts';

const UTM = { source: 'news letter', medium: 'e&mail', campaign: "it's", override_existing: false };
const TAGS = toUtmTags(UTM);
const ADDED = 'utm_source=news%20letter&utm_medium=e%26mail&utm_campaign=it%27s';
const IN_HTML = ADDED.replaceAll('&', '&amp;');
const NONE = readProtectedLinks({});

const tag = (html: string, tags = TAGS, headers: Record<string, string> = {}) =>
  tagHtml(html, tags, readProtectedLinks(headers), 2_000_000);

/** The text without the values of its links. */
function withoutValues(html: string): string[] {
  let from = 0;
  const parts: string[] = [];
  for (const { start, end } of scanHtml(html).links) {
    parts.push(html.slice(from, start));
    from = end;
  }
  return [...parts, html.slice(from)];
}

describe('tagging HTML', () => {
  it('changes only the values of web links in generated pages; an independent parser reads the tagged URLs', () => {
    const random = seededRandom('tagged pages');
    const tags = { ...TAGS, overrideExisting: random.chance(0.5) };
    for (let page = 0; page < 3_000; page += 1) {
      const html = generateHtml(random);
      const tagged = tag(html, tags) ?? '';
      expect(withoutValues(tagged)).toEqual(withoutValues(html));
      const marks = scanHtml(html).links.filter(({ start, end }) => end > start);
      const expected = parsedLinks(html).map(({ value }, index) => {
        const isTagged = isWebLink(urlOf(value)) && !marks[index]?.isUnsubscribe;
        return isTagged ? tagUrl(urlOf(value), tags) : urlOf(value);
      });
      expect({ html, urls: parsedLinks(tagged).map(({ value }) => urlOf(value)) }).toEqual({ html, urls: expected });
      expect(tag(tagged, tags)).toBe(tagged);
    }
  });

  it.each([
    ['<a href="https://x.test/">', `<a href="https://x.test/?${IN_HTML}">`],
    ["<a href='https://x.test/?a=1'>", `<a href='https://x.test/?a=1&amp;${IN_HTML}'>`],
    ['<a href=https://x.test/a>', `<a href=https://x.test/a?${IN_HTML}>`],
    ['<a href="https://x.test/?a=1&amp;b=2#c">', `<a href="https://x.test/?a=1&amp;b=2&amp;${IN_HTML}#c">`],
    ['<a href="https://x.test/?a=1&b=2&#35;c">', `<a href="https://x.test/?a=1&b=2&amp;${IN_HTML}&#35;c">`],
    ['<a href=" https://x.test/ ">', `<a href=" https://x.test/?${IN_HTML} ">`],
    ['<area href="HTTP://x.test">', `<area href="HTTP://x.test/?${IN_HTML}">`],
    ['<a data-no-track href="https://x.test/">', `<a data-no-track href="https://x.test/?${IN_HTML}">`],
  ])('keeps the existing query, the fragment and their spelling: %s', (html, tagged) => {
    expect(tag(html)).toBe(tagged);
  });

  it.each([
    ['https://x.test/{{ name }}', `https://x.test/{{ name }}?${IN_HTML}`],
    ["https://x.test/{{ a | default: '?#' }}#top", `https://x.test/{{ a | default: '?#' }}?${IN_HTML}#top`],
    ['https://x.test/?id={{id}}', `https://x.test/?id={{id}}&amp;${IN_HTML}`],
    ['https://{{host}}/a', `https://{{host}}/a?${IN_HTML}`],
    ['https://x.test/{% if a %}b{% endif %}', `https://x.test/{% if a %}b{% endif %}?${IN_HTML}`],
    ['https://x.test/%7B%7Bname%7D%7D', `https://x.test/%7B%7Bname%7D%7D?${IN_HTML}`],
    ['https://x.test/{id}', `https://x.test/{id}?${IN_HTML}`],
  ])('tags a link with template variables after them: %s', (url, tagged) => {
    expect(tag(`<a href="${url}">`)).toBe(`<a href="${tagged}">`);
  });

  it.each([
    '<a href="mailto:a@x.test?subject=https://x.test">',
    '<a href="tel:+49123">',
    '<a href="#https://x.test">',
    '<a href="/relative">',
    '<a href="//x.test/a">',
    '<a href="ftp://x.test/">',
    '<a href="javascript:https://x.test">',
    '<a href="{{unsubscribe_url}}">',
    '<a href="https://x.test/?next={{ unsubscribe_url }}">',
    '<a href="https://x.test/?next=%7B%7Bunsubscribe_url%7D%7D">',
    '<a href="https://x.test/off" data-unsubscribe>',
    '<a href="https://">',
    '<a href="">',
    '<a href>',
    '<link href="https://x.test/"><img src="https://x.test/">',
    '<!-- <a href="https://x.test/"> -->',
    '<!--[if mso]><a href="https://x.test/"><![endif]-->',
    '<style>/* <a href="https://x.test/"> */</style>',
  ])('leaves this unchanged, byte for byte: %s', (html) => {
    expect(tag(html)).toBe(html);
  });

  it('leaves a link unchanged that is in the List-Unsubscribe header, however either is written', () => {
    const headers = { 'list-unsubscribe': '<mailto:off@x.test>, <https://X.test/off?a=1&b=2>' };
    const html = '<a href="https://x.test/off?a=1&amp;b=2">';
    expect(tag(html, TAGS, headers)).toBe(html);
    expect(tag('<a href="https://x.test/off">', TAGS, headers)).toContain('utm_source');
  });

  it('builds nothing that would be longer than allowed', () => {
    const html = '<a href="https://x.test/">'.repeat(3);
    expect(tagHtml(html, TAGS, NONE, html.length + 200)).toBeNull();
    expect(tagHtml(html, TAGS, NONE, html.length + 1_000)).toContain(IN_HTML);
  });
});
