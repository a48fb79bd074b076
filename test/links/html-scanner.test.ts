import { describe, expect, it } from 'vitest';
import { readAttributeText } from '../../packages/server/src/links/attribute-text.ts';
import { scanHtml } from '../../packages/server/src/links/html-scanner.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { generateHtml } from './generated-html.ts';
import { parsedLinks } from './parsed-links.ts';

const PAGES = 5_000;

function scannedLinks(html: string) {
  const links = scanHtml(html).links.filter(({ start, end }) => end > start);
  return links.map(({ start, end }) => {
    const isQuoted = /["']/.test(html.charAt(start - 1)) && html.charAt(start - 1) === html.charAt(end);
    return { hrefEnd: isQuoted ? end + 1 : end, value: readAttributeText(html.slice(start, end)).text };
  });
}

function hrefs(html: string): string[] {
  return scanHtml(html).links.map(({ start, end }) => html.slice(start, end));
}

describe('the scan for links', () => {
  it('finds in generated pages the same links and values as an independent parser', () => {
    const random = seededRandom('links of generated pages');
    for (let page = 0; page < PAGES; page += 1) {
      const html = generateHtml(random);
      expect({ html, links: scannedLinks(html) }).toEqual({ html, links: parsedLinks(html) });
    }
  });

  it.each([
    [
      'any quotes and none',
      `<a href="1"><A HREF='2'><area href=3><a href = 4 x><a href=5/>`,
      ['1', '2', '3', '4', '5/'],
    ],
    ['the first of two', '<a href="1" href="2">', ['1']],
    ['attributes of other names', '<a data-href="1" hrefs="2" xhref="3" title="href=4">', []],
    ['elements of other names', '<link href="1"><abbr href="2"><base href="3">', []],
    ['end tags', '</a href="1">', []],
  ])('recognizes an href: %s', (_, html, expected) => {
    expect(hrefs(html)).toEqual(expected);
  });

  it('ignores comments, Outlook’s conditional ones included, and reads what they reveal to other programs', () => {
    const outlook = '<!--[if mso]><a href="1">x</a><![endif]--><!--[if !mso]><!--><a href="2">x</a><!--<![endif]-->';
    expect(hrefs(outlook)).toEqual(['2']);
    expect(hrefs('<!-- <a href="1"> --><a href="2">')).toEqual(['2']);
  });

  it('ignores markup in scripts, styles, titles and text areas', () => {
    const inside = '<a href="1">';
    for (const name of ['script', 'style', 'title', 'textarea']) {
      expect(hrefs(`<${name}>${inside}</${name}><a href="2">`)).toEqual(['2']);
    }
  });

  it('ignores the links of SVG and MathML, and finds those after them', () => {
    expect(hrefs('<svg><a href="1"><svg></svg></a></svg><a href="2">')).toEqual(['2']);
    expect(hrefs('<div><svg><a href="1"></div><a href="2">')).toEqual(['2']);
  });

  it('reads the attributes of a link', () => {
    const { links } = scanHtml('<a href=1 data-unsubscribe><a data-no-track="" href=2><a href=3 data-no-tracking>');
    expect(links.map(({ isUnsubscribe, isUntracked }) => [isUnsubscribe, isUntracked])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
  });

  it.each([
    ['<p>Hi</p></body></html>', '</body></html>'],
    ['<p>Hi</p>', ''],
    ['<!-- </body> --><p>Hi', ''],
    ['</body><p>Hi</p></BODY >', '</BODY >'],
    ['<p>Hi<!-- never ends </body>', '<!-- never ends </body>'],
    ['<p>Hi<a href="x', '<a href="x'],
    ['<p>Hi<textarea></body>', '<textarea></body>'],
    ['<p>Hi<plaintext></body>', '<plaintext></body>'],
  ])('finds the end of the page: %s', (html, rest) => {
    expect(html.slice(scanHtml(html).pageEnd)).toBe(rest);
  });

  it.each([
    ['<', 300_000],
    ['<!--', 300_000],
    ['<!---->', 200_000],
    ['<!-- -', 200_000],
    ['<a ', 300_000],
    ['<a href="', 200_000],
    ['<style></', 200_000],
    ['</', 300_000],
    ['<script><!--', 100_000],
    ['<svg><g>', 200_000],
    ['<a/=/', 200_000],
    ['<title>', 200_000],
    ['<svg><![CDATA[', 100_000],
    ['<svg>', 300_000],
    ['</g><svg>', 200_000],
  ])('takes linear time, whatever the input: %s', (piece, times) => {
    const costOf = (html: string) => {
      const began = performance.now();
      scanHtml(html);
      return performance.now() - began;
    };
    costOf(piece.repeat(times / 10));
    // What else the machine does is not counted: what is linear is quick in one of three tries.
    const html = piece.repeat(times);
    let cost = costOf(html);
    for (let n = 0; n < 2 && cost >= 1_000; n += 1) cost = Math.min(cost, costOf(html));
    expect(cost).toBeLessThan(1_000);
  });
});
