import { describe, expect, it } from 'vitest';
import { reviewMessage } from '../../packages/review/src/index.ts';
import { messageWith } from './messages.ts';

/** Linear work on 2 MB takes a second or two; anything else takes minutes. */
const MAX_MS = 20_000;
const TIMEOUT_MS = 60_000;

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
    'lists a bounded number of 30,000 links, and the misleading ones first',
    () => {
      const honest = Array.from({ length: 15_000 }, (_, n) => `<a href="https://h${n}.test">Page ${n}</a>`);
      const false_ = Array.from({ length: 15_000 }, (_, n) => `<a href="https://e${n}.test">acme.example</a>`);
      const { findings, html } = reviewMessage(messageWith({ html: [...honest, ...false_].join('') }));
      expect(html).toMatchObject({ linkCount: 30_000 });
      expect(html?.links).toHaveLength(1_000);
      expect(html?.links.at(-1)).toMatchObject({ number: 15_500, findings: [{ kind: 'text-differs' }] });
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

  it('cuts long texts and targets in findings', () => {
    const html = `<a href="https://evil.test/${'x'.repeat(9_999)}">acme.example ${'word '.repeat(9_999)}</a>`;
    const [finding] = reviewMessage(messageWith({ html })).findings;
    expect([finding?.text.length, finding?.target?.length]).toEqual([120, 500]);
  });
});
