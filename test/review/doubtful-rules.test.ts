import { describe, expect, it } from 'vitest';
import { findingsIn, kindsIn } from './messages.ts';

const SECRET = 'Pay to account 666';
const seen = '<p>Thank you for your order.</p>';

function styled(css: string, html: string): string {
  return `<style>${css}</style>${seen}${html}`;
}

describe('text that style rules can show to some readers only', { tags: ['approvals.findings'] }, () => {
  it.each<[string, string]>([
    ['a:not([href])~.e{display:none}a[href]~.ok{display:none}', '<a href="https://acme.example/">x</a>'],
    ['a[title]~.e{display:none}', '<a href="https://acme.example/">x</a>'],
    ['img:not([src])~.e{display:none}', '<img src="https://acme.example/x.png">'],
    ['.e{display:none} form .e{display:block}', ''],
    ['div > .e{visibility:hidden}', ''],
    ['p + .e{font-size:0}', ''],
    ['.e:nth-child(2){color:#fff}', ''],
    [':is(.e){opacity:0}', ''],
    ['a[x]~*{display:none}', ''],
    ['a[x]~.\\65 {display:none}', ''],
    ['a[x]~.e{display:none;content:"}"}', ''],
    ['@import url(x.css); a[x]~.e{display:none}', ''],
    ['.e{&:not(b){display:none}}', ''],
    ['a[title]~.e{color:#fff}a:not([title])~.e{color:#000}', ''],
  ])('is dangerous: %s', (css, before) => {
    expect(findingsIn({ html: styled(css, `${before}<div class=e>${SECRET}</div>`) })).toContainEqual(
      expect.objectContaining({ kind: 'hidden-text', level: 'danger', text: expect.stringContaining(SECRET) }),
    );
  });

  it('is dangerous in what the rule matches and in all that is within it', () => {
    const html = styled('a[x]~.e{display:none}', `<div class="&#101;"><p>One <b>${SECRET}</b></p></div>`);
    expect(findingsIn({ html })).toContainEqual(
      expect.objectContaining({ level: 'danger', text: expect.stringContaining(SECRET) }),
    );
  });

  it('is one remark if it depends on the screen', () => {
    const parts = `<p class=e>${SECRET}</p>`.repeat(20);
    for (const condition of ['@media(max-width:700px)', '@supports(display:grid)', '@container(width>1px)']) {
      const html = styled(`${condition}{.e{display:none}}`, parts);
      expect(kindsIn({ html }), condition).toEqual(['warn hidden-text']);
    }
  });

  it('is not found in the style rules of ordinary newsletters', () => {
    const css = `a:hover{color:#fff}a:link,a:visited{color:#fff}a:active,a:focus{opacity:0}
      a[x-apple-data-detectors]{color:inherit!important;font-size:inherit!important}u + #body a{color:inherit}
      #outlook a{padding:0}.ExternalClass *{line-height:100%}table td.e{width:100%}p > b{color:#333}
      @media(max-width:600px){.e{width:100%!important;font-size:18px}}@media print{.e{display:none}}
      @media(prefers-color-scheme:dark){.e{color:#fff}div{background:#000}}`;
    const button =
      '<table><tr><td bgcolor="#000000"><a href="https://acme.example/" style="color:#fff">Pay</a></td></tr></table>';
    expect(kindsIn({ html: styled(css, `<div id=body class=e>${SECRET}</div>${button}`) })).toEqual([]);
  });
});

describe('forms and elements over the message', { tags: ['approvals.findings'] }, () => {
  it.each([
    ['<form><input type="password"></form>', 'danger form'],
    ['<input type=" PassWord">', 'danger form'],
    ['<form action="https://evil.test/"><input></form>', 'danger form'],
    ['<form><button formaction="//evil.test/">Go</button></form>', 'danger form'],
    ['<form action="https://acme.example/"><input></form>', 'warn form'],
    ['<form>Name</form>', 'warn form'],
    ['<div style="position:fixed;inset:0">x</div>', 'warn covers'],
    ['<div style="position:absolute;top:0;left:0;width:100%;height:100vh">x</div>', 'warn covers'],
    ['<style>.o{position:fixed;top:0;right:0;bottom:0;left:0}</style><div class=o>x</div>', 'warn covers'],
  ])('are reported: %s', (html, kind) => {
    expect(kindsIn({ html: `${seen}${html}` })).toContain(kind);
  });

  it('are not confused with ordinary positions', () => {
    expect(kindsIn({ html: `${seen}<div style="position:absolute;top:0;width:20px;height:20px"></div>` })).toEqual([]);
    expect(kindsIn({ html: `${seen}<div style="position:relative;top:2px">x</div>` })).toEqual([]);
  });
});
