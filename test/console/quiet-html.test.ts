import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { toQuietHtml } from '../../packages/server/src/console/quiet-html.ts';
import { startBrowser } from '../harness/browser.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { PHONING } from './phoning-html.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

function elementsOf(node: Node): readonly Element[] {
  const below = 'childNodes' in node ? node.childNodes.flatMap(elementsOf) : [];
  return 'tagName' in node ? [node, ...below] : below;
}

/** The text that a reader sees, its white space aside. */
function textOf(node: Node): string {
  if ('tagName' in node && ['style', 'script', 'title', 'head'].includes(node.tagName)) return '';
  if ('value' in node) return node.value.replace(/\s+/g, '');
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

const FETCHING =
  /^(?:link|meta|base|script|iframe|frame|object|embed|applet|portal|svg|math|image|video|audio|source|track|area|template)$/;
/** Attributes whose values a browser fetches or follows. */
const ADDRESS =
  /^(?:src|srcset|href|xlink:href|ping|background|poster|data|action|formaction|lowsrc|dynsrc|longdesc|srcdoc|on.*)$/;

function isInert(name: string, value: string): boolean {
  if (name === 'href') return value === '#';
  return name === 'src' && (value === 'data:,' || value.startsWith('data:image/png') || isPlaceholder(value));
}

/** What of a page could make a request that no policy blocks. */
/** A box with words, and nothing else: neither the alternative text nor anything around it is markup. */
function isPlaceholder(source: string): boolean {
  const svg = decodeURIComponent(source.replace(/^data:image\/svg\+xml,/, ''));
  return /^<svg xmlns='http:\/\/www\.w3\.org\/2000\/svg'(?: width='200' height='48')?><rect [^<>]{1,60}\/><text [^<>]{1,120}>[^<]{7,200}<\/text><\/svg>$/.test(
    svg,
  );
}

function callsIn(html: string): readonly string[] {
  return elementsOf(parse(html, { scriptingEnabled: false })).flatMap(({ tagName, attrs, namespaceURI }) => [
    ...(FETCHING.test(tagName) || namespaceURI !== 'http://www.w3.org/1999/xhtml' ? [tagName] : []),
    ...attrs
      .filter(({ name, value }) => ADDRESS.test(name) && !isInert(name, value))
      .map(({ name }) => `${tagName} ${name}`),
  ]);
}

describe('the HTML of a message as displayed', () => {
  it.each(Object.entries(PHONING))(
    'contains nothing that fetches: %s',
    { tags: ['holes.preview-phones-home'] },
    (_name, html) => {
      expect(callsIn(toQuietHtml(html))).toEqual([]);
      expect(callsIn(toQuietHtml(`<html><head>${html}</head><body><p>x</p></body></html>`))).toEqual([]);
    },
  );

  it('leaves out the tags of elements nested too deeply, keeps their text, and counts no list or paragraph as nesting', () => {
    const deep = parse(
      toQuietHtml(
        `${'<div><table><tr><td>'.repeat(3_000)}<b>in the depth</b>${'</td></tr></table></div>'.repeat(3_000)}<i>after</i>`,
      ),
    );
    expect(elementsOf(deep).filter(({ tagName }) => tagName === 'table')).toHaveLength(200);
    expect(textOf(deep)).toBe('inthedepthafter');
    const flat = elementsOf(
      parse(toQuietHtml(`${'<ul><li>one<li>two</ul><p>three<p>four'.repeat(500)}<div><b>last</b></div>`)),
    );
    expect(flat.filter(({ tagName }) => tagName === 'li')).toHaveLength(1_000);
    expect(flat.filter(({ tagName }) => tagName === 'p')).toHaveLength(1_000);
    expect(flat.filter(({ tagName }) => tagName === 'div' || tagName === 'b')).toHaveLength(2);
  });

  it('contains nothing that fetches, however tags, quotes and comments are broken', {
    tags: ['holes.preview-phones-home'],
  }, () => {
    const random = seededRandom('broken html');
    const samples = Object.values(PHONING);
    const first = samples[0] ?? '';
    const bits = [
      '"',
      "'",
      '`',
      '<',
      '>',
      '/',
      '=',
      '<!--',
      '-->',
      '--!>',
      '<![CDATA[',
      ']]>',
      '</style>',
      '<svg>',
      '</p>',
      '\0',
      ' ',
      '&quot;',
    ];
    for (let round = 0; round < 3_000; round += 1) {
      let html = '';
      for (let piece = 0; piece < 4; piece += 1) {
        const sample = samples[random.integer(0, samples.length - 1)] ?? first;
        const cut = random.integer(0, sample.length);
        html += sample.slice(0, cut) + (bits[random.integer(0, bits.length - 1)] ?? '') + sample.slice(cut);
      }
      expect(callsIn(toQuietHtml(html)), JSON.stringify(html)).toEqual([]);
    }
  });

  it('keeps text, structure, styles, embedded pictures and colors', () => {
    const html = `<body bgcolor="#eee"><style>p{color:red}</style><h1 class=big>Hi &amp; 1 &lt; 2</h1>
      <table width="600"><tr><td align='right' colspan=2>Total</td></tr></table>
      <img alt="Logo" src="data:image/png;base64,AA==" width=10><p style="margin:0">a < b<br>c</p></body>`;
    const [shown, given] = [parse(toQuietHtml(html)), parse(html)];
    expect(textOf(shown)).toBe(textOf(given));
    const quiet = toQuietHtml(html);
    for (const kept of [
      '<body bgcolor="#eee">',
      '<style>p{color:red}</style>',
      '<h1 class="big">Hi &amp; 1 &lt; 2</h1>',
      '<td align="right" colspan="2">',
      '<img alt="Logo" src="data:image/png;base64,AA==" width="10">',
      '<p style="margin:0">a &lt; b<br>c</p>',
    ])
      expect(quiet).toContain(kept);
  });

  it('shows the target of a link instead of a title of the sender', () => {
    const quiet = toQuietHtml('<a title="https://bank.example" href="https://evil.example/?a=1&amp;b=%22">Pay</a>');
    expect(quiet).toContain('<a title="https://evil.example/?a=1&amp;b=%22" href="#">Pay</a>');
  });

  it('leads nowhere in a browser, and looks the same to the style rules of the sender', async () => {
    const css = '.e{display:none} form .e{display:block} a:not([href])~.f,img:not([src])~.f,a[title]~.f{display:none}';
    const html = `<style>${css}</style><div><a href="https://x.example/">Link</a><img src="https://x.example/p.png" alt=p><p class=f>Seen</p></div>
      <form action="https://x.example/"><p class=e>Form</p><button>Send</button></form>`;
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      const asked: string[] = [];
      await page.route('**', async (route) => {
        asked.push(route.request().url());
        const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; sandbox";
        const headers = { 'content-security-policy': policy };
        await route.fulfill({ contentType: 'text/html', headers, body: toQuietHtml(html) });
      });
      await page.goto('http://page.example/html');
      for (const text of ['Seen', 'Form']) expect(await page.getByText(text, { exact: true }).isVisible()).toBe(true);
      await page.getByText('Link').click({ noWaitAfter: true });
      await page.getByText('Send').click({ noWaitAfter: true });
      await page.getByText('Link').click({ noWaitAfter: true, modifiers: ['Control'] });
      expect(page.url().replace('#', '')).toBe('http://page.example/html');
      expect(asked.filter((url) => !url.startsWith('data:'))).toEqual(['http://page.example/html']);
    } finally {
      await browser.close();
    }
  }, 60_000);

  it('has the attributes and elements that style rules of the sender can look for', () => {
    const html = `<a href="https://x.example/">x</a><a name=y>y</a><img src="https://x.example/p.png" alt=p><img alt=q>
      <form action="https://x.example/"><input type=text name=n><textarea><b></textarea><select><option>o</select><button formaction=x>b</button></form>`;
    const quiet = toQuietHtml(html).replace(/src="data:image\/svg[^"]*"/, 'src="…"');
    expect(quiet).toBe(`<!doctype html><a href="#">x</a><a>y</a><img src="…" alt="p"><img alt="q">
      <form><input type="text"><textarea>&lt;b></textarea><select><option>o</select><button>b</button></form>`);
  });

  it('names a picture that is not loaded, without markup, and not so often that the message becomes much longer', () => {
    const source = (html: string) =>
      decodeURIComponent(/src="data:image\/svg\+xml,([^"]*)"/.exec(toQuietHtml(html))?.[1] ?? '');
    expect(source('<img src="https://x.example/p.png" alt="Three boxes &lt;of&gt; tea">')).toContain(
      '>Picture: Three boxes &lt;of> tea</text>',
    );
    expect(source('<img src="https://x.example/p.png">')).toContain('>Picture</text>');
    expect(source(`<img src="https://x.example/p.png" alt="</text><script>'&quot;">`)).not.toContain('<script');
    const many = '<img src=x alt=y>'.repeat(10_000);
    expect(toQuietHtml(many).length).toBeLessThan(many.length * 4);
  });

  it('shows the text of removed elements where mail clients would show it', () => {
    const html =
      '<form>Name <button>Go</button></form><noscript>None</noscript><custom-tag>Own</custom-tag><xmp>a<b></xmp>';
    expect(textOf(parse(toQuietHtml(html)))).toBe('NameGoNoneOwna<b>');
    expect(textOf(parse(toQuietHtml('<script>alert(1)</script><iframe>old</iframe>x')))).toBe('x');
  });

  it.each(['<', '<a', '<a href="', '<!--', '</', '<style>', "<p title='", '<a '])(
    'takes linear time: %s repeated',
    (piece) => {
      const time = (html: string) => {
        const from = performance.now();
        toQuietHtml(html);
        return performance.now() - from;
      };
      time(piece.repeat(10_000));
      expect(time(piece.repeat(1_000_000 / piece.length))).toBeLessThan(2_000);
    },
  );
});
