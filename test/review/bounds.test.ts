import { describe, expect, it } from 'vitest';
import { reviewMessage } from '../../packages/review/src/index.ts';
import { messageWith } from './messages.ts';

/** Linear work on 2 MB takes a second or two; anything else takes minutes. */
const MAX_MS = 20_000;
const TIMEOUT_MS = 60_000;

function repeated(count: number, make: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => make(n)).join('');
}

describe('the review of a hostile message', () => {
  it.each([
    ...[
      '<!--[if mso]>',
      '<!--[if',
      '<style><b',
      '<v:x href=y>',
      '<textarea>',
      '<a href="',
      '<',
      '<a <a <a ',
      '<!--',
      '&#',
    ],
    ...[
      '"\'<x y=',
      'a.',
      '<a href=x>',
      '<div style="color:red">',
      '</b>',
      '<b></i>',
      '<p hidden>a',
      '&',
      '@',
      'https://',
    ],
    ...[
      '<i hidden>a</i>c',
      '<style>a{',
      '<style>@media x{',
      '<style>/*',
      '<b style=";a:',
      '\u200b',
      '\u202e',
      ' \n',
      '<li>',
    ],
    ...[
      '<table><tr><td>',
      '<template>',
      '<style>(',
      '<style>url(',
      '<style>u\\72l(/*',
      '<style>\\',
      '<p style="a:([{',
      '<p style=zoom:0>a',
      '<p style=background:linear-gradient(#f001,#00f1)>a',
      '<details><summary>',
      '<a href=https://a-a-a-a-a-a-a.test>x</a>',
      '-',
      'xn--a.',
      '<!--[if mso]><!--',
    ],
  ])(
    'takes a time linear in its length: %j',
    (part) => {
      const body = part.repeat(Math.ceil(1_000_000 / part.length));
      const startMs = performance.now();
      const { findings, html, text } = reviewMessage(
        messageWith({ html: body, text: body, subject: part.repeat(100) }),
      );
      expect(performance.now() - startMs).toBeLessThan(MAX_MS);
      expect(findings.length).toBeLessThanOrEqual(300);
      expect((html?.links.length ?? 0) + (text?.links.length ?? 0)).toBeLessThanOrEqual(2_000);
    },
    TIMEOUT_MS,
  );

  it(
    'lists a bounded number of 18,000 links, and the misleading ones first',
    () => {
      const honest = Array.from({ length: 9_000 }, (_, n) => `<a href="https://h${n}.test">Page ${n}</a>`);
      const false_ = Array.from({ length: 9_000 }, (_, n) => `<a href="https://e${n}.test">acme.example</a>`);
      const { findings, html } = reviewMessage(messageWith({ html: [...honest, ...false_].join('') }));
      expect(html).toMatchObject({ linkCount: 18_000 });
      expect(html?.links).toHaveLength(1_000);
      expect(html?.links.at(-1)).toMatchObject({ number: 9_500, findings: [{ kind: 'text-differs' }] });
      expect(findings).toHaveLength(100);
      expect(findings[0]?.level).toBe('danger');
    },
    TIMEOUT_MS,
  );

  it('stops after a bounded number of parts, and reports it', () => {
    const html = `<p>${'<b>x</b>'.repeat(235_000)}</p>`;
    const startMs = performance.now();
    const [finding] = reviewMessage(messageWith({ html })).findings;
    expect(performance.now() - startMs).toBeLessThan(MAX_MS / 4);
    expect(finding).toMatchObject({ level: 'danger', kind: 'not-checked' });
  });

  it.each<[string, string]>([
    [
      'a class repeated in a selector',
      `<style>${'.a'.repeat(400_000)}{color:red}</style>${'<b class=a>x'.repeat(90_000)}`,
    ],
    [
      'many rules in doubt for every element',
      `<style>${repeated(20, (n) => `*:nth-child(${n}){display:none;color:#f${n % 10}f}`)}</style>${repeated(90_000, (n) => `<p class=c${n}>x`)}`,
    ],
    [
      'long styles and rules in doubt',
      `<style>${repeated(20, (n) => `*:nth-child(${n}){color:red}`)}</style>${`<b style="${repeated(1_000, (n) => `a${n}:b;`)}">x`.repeat(250)}`,
    ],
    [
      'properties that are not known on nested elements',
      repeated(
        9_000,
        (n) => `<div style="${repeated(20, (m) => `a-${'abcdefgh'[n % 8]}${'abcdefghijklmnopqrst'[m]}:b;`)}">x`,
      ),
    ],
    [
      'properties that are not known in rules in doubt',
      `<style>${repeated(20, (n) => `*:nth-child(${n}){${repeated(20, (m) => `a-${'abcdefghijklmnopqrst'[(m + n) % 20]}:b;`)}}`)}</style>${repeated(9_000, (n) => `<p class=c${n}>x`)}`,
    ],
    ['colors', repeated(50_000, (n) => `<p style="background:hsl(${n},9%,9%) url(x) 0 0/1px">x`)],
    [
      'important declarations and many selectors',
      `<style>${repeated(4_000, (n) => `.a${n},`)}b{color:red;${repeated(90_000, (n) => `a${n}:b!important;`)}}</style>`,
    ],
    [
      'rules that match by several classes',
      `<style>${repeated(4_900, (n) => `.c${n % 50}.c${(n * 7) % 49}{height:${n}px}`)}</style>${`<b class="${repeated(50, (n) => `c${n} `)}">x`.repeat(6_000)}`,
    ],
    ['links to different hosts', repeated(60_000, (n) => `<a href="https://xn--bnk-5cd${n}.test">b.test</a>`)],
    ['a picture in many sizes', `<img srcset="${repeated(100_000, (n) => `https://a${n}.test 1x,`)}">`],
  ])(
    'takes a bounded time for %s',
    (_, html) => {
      const before = process.threadCpuUsage();
      const { findings } = reviewMessage(messageWith({ html }));
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(MAX_MS / 4);
      expect(findings.length).toBeLessThanOrEqual(300);
    },
    TIMEOUT_MS,
  );

  it.each<[string, string]>([
    ['repeated selectors', `<style>${'a,'.repeat(30_000)}.e{display:none}</style>`],
    ['links', repeated(21_000, (n) => `<a href="https://e${n}.test">acme.example</a>`)],
    [
      'rules for every element',
      `<style>${repeated(20, (n) => `*:nth-child(${n}){color:red}`)}</style>${repeated(4_000, (n) => `<p class=c${n}>`)}`,
    ],
  ])(
    'says first that it did not check everything if there are too many %s',
    (_, html) => {
      expect(reviewMessage(messageWith({ html: `${html}<p class=e>x</p>` })).findings[0]).toMatchObject({
        ...{ level: 'danger', kind: 'not-checked' },
      });
    },
    TIMEOUT_MS,
  );

  it('checks a large ordinary newsletter completely', () => {
    const css = `.card{color:#333}td{padding:0;font-size:14px}p{font-size:16px}@media(max-width:600px){.card{width:100%}td{font-size:13px}
      p{font-size:18px}}@media(prefers-color-scheme:dark){.card{background:#000;color:#fff}td,p{color:#fff}}table td{color:#333}`;
    const cell = (n: number) =>
      `<tr><td class="card" style="color:#333;width:${n % 7}0px"><p id="p${n}">Item <b>${n}</b></p><a href="https://acme.example/${n}">Show</a></td></tr>`;
    const html = `<style>${css}</style><table>${repeated(4_000, cell)}</table>`;
    expect(reviewMessage(messageWith({ html })).findings.map(({ kind }) => kind)).not.toContain('not-checked');
  });

  it('cuts long texts and targets in findings', () => {
    const html = `<a href="https://evil.test/${'x'.repeat(9_999)}">acme.example ${'word '.repeat(9_999)}</a>`;
    const [finding] = reviewMessage(messageWith({ html })).findings;
    expect([finding?.text.length, finding?.target?.length]).toEqual([120, 500]);
  });
});
