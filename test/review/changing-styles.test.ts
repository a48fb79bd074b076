import { describe, expect, it } from 'vitest';
import { findingsIn, kindsIn } from './messages.ts';

const SECRET = 'Pay to account 666';
const DIFFERS = 'This message may look different to its recipients';

function styled(css: string): string {
  return `<style>${css}</style><p class=e>Thank you for your order.</p>`;
}

describe('style rules that show other text than the message has', { tags: ['approvals.findings'] }, () => {
  it.each([
    `.e::before{content:"${SECRET}"}`,
    `.e:after{content:'${SECRET}'}`,
    `p > .e::after { CONTENT : "${SECRET}" !important }`,
    `.e::before{c\\6fntent:"${SECRET}"}`,
    `.e::before{/* */content/**/:"${SECRET}"}`,
    `.e::before{color:red;content:"${SECRET}`,
    `ul{list-style-type:"${SECRET}"}`,
    `ul{list-style:"${SECRET}" inside}`,
    `q{quotes:"${SECRET}" ""}`,
    `@media screen{.e::before{content:"${SECRET}"}}`,
  ])('report an added text: %s', (css) => {
    expect(findingsIn({ html: styled(css) })).toContainEqual(
      expect.objectContaining({
        ...{ kind: 'looks-different', level: 'warn', text: expect.stringContaining(SECRET.toLowerCase()) },
        message: expect.stringContaining(DIFFERS),
      }),
    );
  });

  it.each([
    '.e::before{content:attr(title)}',
    '.e::before{content:var(--x)}',
    '.e{content:url(https://a.example/x.png)}',
    '.e::before{content:"; Pay to account 666"}',
    '.e::before{content:"\\50\\61\\79"}',
  ])('report what adds something else than a string: %s', (css) => {
    expect(kindsIn({ html: styled(css) })).toContain('warn looks-different');
  });

  it.each([
    `@media(max-width:700px){.e::before{content:"${SECRET}"}}`,
    `@media (prefers-color-scheme:dark){.e::before{content:"${SECRET}"}}`,
    `@supports(display:grid){.e::before{content:"${SECRET}"}}`,
    `.e:hover::before{content:"${SECRET}"}`,
    `.e:nth-child(1)::before{content:"${SECRET}"}`,
    `a[href]::after{content:"${SECRET}"}`,
    `p+.e::after{content:"${SECRET}"}`,
    `.e{&::before{content:"${SECRET}"}}`,
  ])('are dangerous if only some readers get the text: %s', (css) => {
    expect(findingsIn({ html: styled(css) })).toContainEqual(
      expect.objectContaining({ kind: 'looks-different', level: 'danger', text: SECRET.toLowerCase() }),
    );
  });

  it.each([
    ['@keyframes x{to{display:none}}.e{animation:x 1s 60s forwards}', 'an animation can hide or show parts of it'],
    ['@-webkit-keyframes x{0%{opacity:0}100%{opacity:1}}', 'an animation can hide or show parts of it'],
    ['@media screen{@keyframes x{to{font-size:0}}}', 'an animation can hide or show parts of it'],
    ['.e:hover{font-size:0}', 'under the mouse pointer'],
    ['.e:HOVER{opacity:0}', 'under the mouse pointer'],
    ['@font-face{font-family:x;src:url("https://evil.test/x.woff2")}', 'a font from evil.test'],
    ['@font-face{font-family:x;src:local("A"),url(//evil.test/x.woff)}', 'a font from evil.test'],
    ['@font-face{font-family:x;src:url(data:font/woff2;base64,AAAA)}', 'a font from the message itself'],
    ['@import url(https://evil.test/x.css);.e{color:red}', 'style rules from evil.test'],
    ['@import "https://evil.test/x.css" screen', 'style rules from evil.test'],
    ['@\\69mport "https://evil.test/x.css";', 'style rules from evil.test'],
  ])('report what changes or replaces it later: %s', (css, words) => {
    const found = findingsIn({ html: styled(css) }).filter(({ kind }) => kind === 'looks-different');
    expect(found).toEqual([expect.objectContaining({ level: 'warn', message: expect.stringContaining(words) })]);
  });

  it('report a linked style sheet', () => {
    const html = '<link rel="alternate StyleSheet" href="https://evil.test/x.css"><p>Hello</p>';
    expect(findingsIn({ html })).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('style rules from evil.test') }),
    );
  });

  it.each([
    '@import url(https://fonts.googleapis.com/css2?family=Inter);',
    '@font-face{font-family:Inter;src:url(https://fonts.gstatic.com/x.woff2)}',
    '@font-face{font-family:Own;src:url(https://static.acme.example/x.woff2)}',
  ])('only mention fonts of the sender and of public services: %s', (css) => {
    expect(kindsIn({ html: styled(css) })).toEqual(['note looks-different']);
  });

  it('are not found in what ordinary newsletters contain', () => {
    const css = `.e::before{content:""}.f::after{content:"\\201c"}ul{list-style:none}a:hover{color:#000;text-decoration:none}
      .button:hover{background:#333}.g::before{content:none}@keyframes glow{to{background:#fff;color:#eee}}
      @media(max-width:600px){.e::after{content:"\\2022 "}.e{width:100%}}@font-face{font-family:x;src:local("Arial")}`;
    expect(kindsIn({ html: styled(css) })).toEqual([]);
  });

  it('cannot hide a dangerous text behind many others', () => {
    const many = Array.from({ length: 400 }, (_, n) => `.a${n}::before{content:"word ${n}"}`).join('');
    expect(findingsIn({ html: styled(`${many}.e:hover::after{content:"${SECRET}"}`) })[0]).toMatchObject({
      ...{ level: 'danger', kind: 'not-checked' },
    });
  });
});
