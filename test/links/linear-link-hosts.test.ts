import { describe, expect, it } from 'vitest';
import { findLinkHosts } from '../../packages/server/src/links/link-hosts.ts';

describe('finding hosts', () => {
  it('takes linear time, and never throws', () => {
    const parts = [
      ...[
        '<a href="',
        "href='x",
        'href =  ',
        '//:',
        'co.',
        'a@',
        'http:',
        'https://a.b/)',
        '<!--',
        '<!--x-->',
        '<style>',
      ],
      ...[
        '</a',
        '<x ',
        '\u00ad.',
        'content=";',
        'a/',
        '\\\\a',
        'x:',
        '<title><!--',
        '&amp;',
        'e\u0301\u0316',
        '<script>',
      ],
      ...['<script></script>', 'to="1;', 'www.', '1.', 'é.', '\ud800.', '<svg><style>', '<![CDATA[', 'a'.repeat(70)],
    ];
    const timeOf = (part: string, length: number) => {
      const text = part.repeat(length / part.length);
      const startedAt = performance.now();
      findLinkHosts(text, [text], [text], { 'List-Unsubscribe': text });
      return performance.now() - startedAt;
    };
    for (const part of parts) {
      const short = Math.max(20, timeOf(part, 25_000));
      // Eight times the length: what is quadratic would take 64 times as long.
      // What the machine does beside it makes single runs longer, and never shorter.
      const long = Math.min(...[1, 2, 3].map(() => timeOf(part, 200_000)));
      expect(long, JSON.stringify(part)).toBeLessThan(short * 32);
    }
  }, 60_000);
});
