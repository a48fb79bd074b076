import { describe, expect, it } from 'vitest';
import { readHtml } from '../../packages/review/src/read-html.ts';

describe('HTML as an approver sees it', () => {
  it.each([
    ['<p>One</p><p>Two &amp; <b>three</b></p>', 'One\n\nTwo & three'],
    ['<style>a{}</style><script>"</p>"</script>Hi<!-- not this --> there', 'Hi there'],
    ['<!--[if mso]>For Outlook<![endif]-->', 'For Outlook'],
    ['<div style="display:none">hidden</div>', 'hidden'],
    ['a < b and <unfinished', 'a < b and <unfinished'],
    ['<img alt="a > b">', '[image: a > b]'],
  ])('%j reads %j', (html, text) => {
    expect(readHtml(html).text).toBe(text);
  });

  it('finds every place it leads to', () => {
    const html = `<base href="https://base.example/"><a href=rel>r</a><a href='h&#116;tps://x.example/?a&amp;b'>x</a>
      <form action="https://form.example/"><img src="https://pixel.example/p"><img src="cid:logo"><a href="java&Tab;script:x">j</a>`;
    expect(readHtml(html).links).toEqual([
      { kind: 'link', target: 'https://base.example/rel', text: 'r', visible: 'r' },
      { kind: 'link', target: 'https://x.example/?a&b', text: 'x', visible: 'x' },
      { kind: 'form', target: 'https://form.example/', text: '', visible: '' },
      { kind: 'image', target: 'https://pixel.example/p', text: '', visible: '' },
      { kind: 'link', target: expect.stringContaining('script:x'), text: 'j', visible: 'j' },
    ]);
  });

  it.each([
    '<!-- a --!>SHOWN <a href="https://evil.example/">x</a><!-- b -->',
    '<!--><p>SHOWN <a href="https://evil.example/">x</a><!-- -->',
    '<b ">SHOWN <a href="https://evil.example/">x</a></b>',
    '<b =">SHOWN <a href="https://evil.example/">x</a></b>',
    '<!doctype html "><p>SHOWN <a href="https://evil.example/">x</a>',
    '<svg><style/></svg>SHOWN <a href="https://evil.example/">x</a>',
    '<svg><style><p>SHOWN <a href="https://evil.example/">x</a></style></svg>',
    '<svg><title><p>SHOWN <a href="https://evil.example/">x</a></title></svg>',
    '<style></stylex></style>SHOWN <a href="https://evil.example/">x</a>',
    '<noscript>SHOWN <a href="https://evil.example/">x</a></noscript>',
    '<textarea><p title="</textarea>SHOWN <a href="https://evil.example/">x</a>"></p>',
    '<!--[if mso]><p title="<![endif]-->SHOWN <a href="https://evil.example/">x</a>"><![endif]-->',
    '<!-- [if mso]>SHOWN <v:rect href="https://evil.example/">x</v:rect><![endif]-->',
    '<svg><![CDATA[<p title="]]>SHOWN <a href="https://evil.example/">x</a>">',
    '<v:roundrect href="https://evil.example/">SHOWN</v:roundrect>',
    'SHOWN <a href="&#104;ttps://&#0000000000101;vil.example/">x</a>',
    'SHOWN <a href="/">x</a><base href="https://evil.example/">',
  ])('hides no text and no link that a mail client shows: %s', (html) => {
    const { text, links } = readHtml(html);
    expect(text).toContain('SHOWN');
    const told = [text, ...links.map(({ target }) => target)].join('\n');
    expect(told).toContain('https://evil.example/');
  });

  it('reads numeric and named character references as browsers do', () => {
    expect(readHtml('&lbrack;&dollar;5&rsqb; &AMP; un&shy;seen').text).toBe('[$5] & unseen');
    expect(readHtml('&#128;500 &#x00000041; &#0; &#99999999999;').text).toBe('€500 A \ufffd \ufffd');
    expect(readHtml('<a href="https://x.example/?a=1&copy=2&amp;b&lt=3">x</a>').links).toMatchObject([
      { target: 'https://x.example/?a=1&copy=2&b&lt=3' },
    ]);
  });

  it('lists what a mail loads, through whatever element', () => {
    const html = `<meta http-equiv="refresh" content="0; url='https://a.example/'"><object data="https://b.example/">
      <video poster="https://c.example/"><img srcset="https://d.example/ 2x, cid:e 1x"><link rel="stylesheet" href="https://f.example/">`;
    const hosts = ['a', 'b', 'c', 'd', 'f'];
    expect(readHtml(html).links).toEqual(
      hosts.map((host) => ({ kind: 'image', target: `https://${host}.example/`, text: '', visible: '' })),
    );
  });
});
