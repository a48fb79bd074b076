import { randomUUID } from 'node:crypto';
import { LIMITS } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { scanHtml } from '../../packages/server/src/links/html-scanner.ts';
import { readProtectedLinks } from '../../packages/server/src/links/protected-links.ts';
import { planTracking, trackHtml } from '../../packages/server/src/links/track-html.ts';
import { createTrackingTokens } from '../../packages/server/src/links/tracking-token.ts';
import { isTrackable, urlOf } from '../../packages/server/src/links/web-link.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { generateHtml } from './generated-html.ts';
import { parsedLinks } from './parsed-links.ts';

const NONE = readProtectedLinks({});
const URLS = { open: 'https://p.test/t/o/o', click: (link: number) => `https://p.test/t/c/${link}` };
const PIXEL = '<img src="https://p.test/t/o/o" width="1" height="1" alt="" style="border:0;width:1px;height:1px">';
const plan = (html: string, opens: boolean, clicks: boolean, protectedLinks = NONE) =>
  planTracking(html, { opens, clicks }, protectedLinks);

function track(html: string, opens: boolean, clicks: boolean, protectedLinks = NONE): string {
  const tracking = plan(html, opens, clicks, protectedLinks);
  return tracking === null ? html : trackHtml(html, tracking, URLS);
}

describe('tracking', () => {
  it('rewrites the allowed links of generated pages, adds the image where it is seen, and changes nothing else', () => {
    const random = seededRandom('tracked pages');
    for (let page = 0; page < 3_000; page += 1) {
      const html = generateHtml(random);
      const tracking = plan(html, true, true);
      const tracked = trackHtml(html, tracking ?? { openPixel: true, links: [] }, URLS);
      const marks = scanHtml(html).links.filter(({ start, end }) => end > start);
      const expected = parsedLinks(html).map(({ value }, index) => {
        const mark = marks[index];
        const isTracked = isTrackable(urlOf(value)) && !mark?.isUnsubscribe && !mark?.isUntracked;
        return isTracked ? URLS.click(tracking?.links.indexOf(urlOf(value)) ?? -1) : value;
      });
      expect({ html, urls: parsedLinks(tracked).map(({ value }) => value) }).toEqual({ html, urls: expected });
      // Taken back, both changes leave what was there.
      const { links, pageEnd } = scanHtml(html);
      expect(tracked.includes(PIXEL)).toBe(true);
      const values = links.map(({ start, end }) => html.slice(start, end));
      const rewritten = scanHtml(tracked).links.map(({ start, end }) => tracked.slice(start, end));
      const isPlanned = (index: number) => rewritten[index] !== values[index];
      let back = tracked.replace(PIXEL, '');
      for (const [index, link] of [...scanHtml(back).links.entries()].reverse()) {
        if (isPlanned(index)) back = back.slice(0, link.start) + values[index] + back.slice(link.end);
      }
      expect(back).toBe(html);
      expect(pageEnd).toBeLessThanOrEqual(html.length);
    }
  });

  it('names each link once, in the order of the HTML, as browsers read it', () => {
    const html =
      '<a href="https://x.test/?a=1&amp;b=2"><a href=" https://y.test/\n"><a href="https://x.test/?a=1&b=2">';
    expect(plan(html, false, true)).toEqual({
      openPixel: false,
      links: ['https://x.test/?a=1&b=2', 'https://y.test/'],
    });
    expect(track(html, false, true)).toBe(
      '<a href="https://p.test/t/c/0"><a href="https://p.test/t/c/1"><a href="https://p.test/t/c/0">',
    );
  });

  it('does nothing when it is off, or when there is no link to follow and no image', () => {
    expect(plan('<a href="https://x.test/">', false, false)).toBeNull();
    expect(plan('<p>https://x.test/</p>', false, true)).toBeNull();
    expect(plan('<p>Hi</p>', true, true)).toEqual({ openPixel: true, links: [] });
  });

  it('puts the image before the end of the body, or at the end when there is none', () => {
    expect(track('<body><p>Hi</p></body></html>', true, false)).toBe(`<body><p>Hi</p>${PIXEL}</body></html>`);
    expect(track('<p>Hi</p>', true, false)).toBe(`<p>Hi</p>${PIXEL}`);
  });

  it.each([
    '<a href="https://x.test/" data-no-track>',
    '<a href="https://x.test/" data-unsubscribe>',
    '<a href="https://x.test/{{name}}">',
    '<a href="{{unsubscribe_url}}">',
    '<a href="mailto:a@x.test">',
    '<a href="tel:1">',
    '<a href="#top">',
    '<a href="/a">',
    '<a href="https://list.test/off">',
    `<a href="https://x.test/${'a'.repeat(LIMITS.linkCharacters)}">`,
    '<!-- <a href="https://x.test/"> -->',
  ])('never rewrites %s', (html) => {
    const protectedLinks = readProtectedLinks({ 'List-Unsubscribe': '<https://list.test/off>' });
    expect(track(html, false, true, protectedLinks)).toBe(html);
    // Nor beside one that it does rewrite.
    expect(track(`${html}<a href="https://y.test/">`, false, true, protectedLinks)).toBe(
      `${html}<a href="https://p.test/t/c/0">`,
    );
  });

  it('rewrites a limited number of links, so that no page can grow without end', () => {
    const html = Array.from(
      { length: LIMITS.trackedLinksPerMessage + 5 },
      (_, i) => `<a href="https://x.test/${i}">`,
    ).join('');
    expect(plan(html, false, true)?.links).toHaveLength(LIMITS.trackedLinksPerMessage);
    expect(parsedLinks(track(html, false, true)).filter(({ value }) => value.startsWith('https://x'))).toHaveLength(5);
    const same = '<a href="https://x.test/">'.repeat(LIMITS.trackedLinksPerMessage + 5);
    expect(parsedLinks(track(same, false, true)).filter(({ value }) => value.startsWith('https://x'))).toHaveLength(5);
  });
});

describe('a tracking token', () => {
  const tokens = createTrackingTokens(Buffer.alloc(32, 1));
  const subject = { accountId: randomUUID(), messageId: randomUUID(), link: null };

  it('is short, URL-safe, the same for the same message, and decodes to its input', () => {
    for (const link of [null, 0, 1, LIMITS.trackedLinksPerMessage]) {
      const token = tokens.sign({ ...subject, link });
      expect(token).toMatch(/^[A-Za-z0-9_-]{59,62}$/);
      expect(tokens.sign({ ...subject, link })).toBe(token);
      expect(tokens.read(token)).toEqual({ ...subject, link });
    }
  });

  it('is rejected when any character of it was changed, cut off or added', () => {
    const token = tokens.sign({ ...subject, link: 3 });
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      expect(tokens.read(token.slice(0, at) + other + token.slice(at + 1))).toBeNull();
      expect(tokens.read(token.slice(0, at))).toBeNull();
    }
    for (const wrong of ['', 'x', `${token}A`, `${token}=`, ` ${token}`, `${token}.`])
      expect(tokens.read(wrong)).toBeNull();
  });

  it('is rejected when it was created with another secret', () => {
    expect(createTrackingTokens(Buffer.alloc(32, 2)).read(tokens.sign(subject))).toBeNull();
  });
});
