import { describe, expect, it } from 'vitest';
import { findingsIn, kindsIn } from './messages.ts';

function link(target: string, text = 'Pay now'): { readonly html: string } {
  return { html: `<p>Hello</p><a href="${target}">${text}</a>` };
}

describe('a link whose text names another host', () => {
  it.each<[string, string]>([
    ['https://evil.test/', 'https://acme.example/pay'],
    ['https://evil.test/', 'Go to ACME.example now'],
    ['https://notacme.example/', 'acme.example'],
    ['//evil.test/x', 'acme.example'],
    ['mailto:a@evil.test', 'ada@acme.example'],
    ['https://evil.test/', 'ada@acme.example'],
    ['https://evil.test/', 'go/acme.example'],
    ['https://evil.test/', 'https://acme.example@evil.test/'],
    ['https://evil.test/', 'acme。example'],
    ['https://evil.test/', 'ac&shy;me.exam&#8203;ple'],
    ['https://evil.test/', '<span style="display:none">evil.test</span>acme.example'],
    ['https://evil.test/', 'acme<b>.exam</b>&#112;le'],
    ['https://evil.test/', '<img src="cid:logo" alt="acme.example">'],
    ...[' '.repeat(9_000), '&nbsp;'.repeat(900), 'word '.repeat(500), '<b> </b>'.repeat(5_000)].map(
      (padding): [string, string] => ['https://evil.test/', `${padding}acme.example`],
    ),
  ])('is dangerous: %s as %s', (target, text) => {
    expect(kindsIn(link(target, text))).toContain('danger text-differs');
  });

  it.each([
    ['https://www.acme.example/x?y', 'acme.example'],
    ['https://acme.example/', 'www.acme.example'],
    ['https://pay.acme.example/', 'acme.example'],
    ['https://acme.example/login.php?to=a.b', 'https://acme.example/login.php?to=a.b'],
    ['mailto:ada@acme.example?subject=Hi', 'ada@acme.example'],
    ['mailto:first.last@acme.example', 'first.last@acme.example'],
    ['https://files.test/', 'Open invoice.pdf'],
    ['https://files.test/', 'Version 1.2.3'],
    ['#terms', 'acme.example'],
  ])('is not reported if it leads there: %s as %s', (target, text) => {
    expect(kindsIn(link(target, text))).not.toContainEqual(expect.stringContaining('text-differs'));
  });

  it('needs a look if the text also names the right host, or one below it', () => {
    expect(kindsIn(link('https://evil.test/', 'evil.test, formerly acme.example'))).toEqual(['warn text-differs']);
    expect(kindsIn(link('https://shop.test/', 'pay.shop.test'))).toEqual(['warn text-differs']);
  });

  it('says both hosts in a sentence', () => {
    expect(findingsIn(link('https://evil.test/pay', 'acme.example'))).toEqual([
      {
        ...{ kind: 'text-differs', level: 'danger', place: 'html', text: 'acme.example' },
        ...{ target: 'https://evil.test/pay', host: 'evil.test' },
        message: 'The text names acme.example, but the link leads to evil.test.',
      },
    ]);
  });

  it('is found after hundreds of honest ones', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `<a href="https://a.example/${n}">Page ${n}</a>`);
    expect(kindsIn({ html: `${many.join('')}<a href="https://evil.test/">acme.example</a>` })).toEqual([
      'danger text-differs',
    ]);
  });
});

describe('a host that looks like another one', () => {
  it.each([
    ['https://acrne.example/', 'rn as m'],
    ['https://\u0430cme.example/', 'a Cyrillic letter'],
    ['https://acm\u00e9.example/', 'an accent'],
    ['https://acme.example.evil.test/', 'the domain as a left part'],
    ['https://acme-example.evil.test/', 'the domain with a hyphen'],
    ['https://login.paypa1.com/', 'a digit in a well-known name'],
    ['https://\u0440\u0430\u0443\u0440\u0430\u04cf.com/', 'a name in another alphabet'],
    ['https://acme.example@evil.test/', 'a user name'],
    ['https://acme.example:443@evil.test/', 'a user name and a password'],
  ])('is dangerous: %s (%s)', (target) => {
    expect(kindsIn(link(target))).toContain('danger look-alike');
  });

  it.each([
    'https://acne.example/',
    'https://acm.example/',
    'https://acmee.example/',
    'https://amce.example/',
    'https://acme-pay.test/',
    'https://paypal-login.test/',
    'https://192.0.2.1/',
    'https://0x7f.1/',
    'https://[2001:db8::1]/',
  ])('needs a look: %s', (target) => {
    expect(kindsIn(link(target))).toContain('warn look-alike');
  });

  it('is found beside a recipient’s domain and a host that the message names', () => {
    expect(kindsIn(link('https://custorner.example/'))).toEqual(['danger look-alike']);
    expect(kindsIn({ subject: 'Your order at bookshop.test', ...link('https://bookshpo.test/') })).toEqual([
      'warn look-alike',
    ]);
  });

  it.each([
    'https://acme.example/',
    'https://pay.acme.example/',
    'https://customer.example/',
    'https://www.google.de/',
    'https://github.com/',
    'https://a.test/',
    'https://unrelated.test/',
  ])('is not any other host: %s', (target) => {
    expect(kindsIn(link(target))).toEqual([]);
  });

  it('is only noted for the sender’s name under another ending', () => {
    expect(kindsIn(link('https://acme.test/'))).toEqual(['note look-alike']);
  });

  it('is found in the address for replies and in the addresses of recipients', () => {
    expect(kindsIn({ replyTo: 'billing@acrne.example' })).toEqual(['danger look-alike']);
    expect(kindsIn({ cc: ['boss@acrne.example'] })).toEqual(['danger look-alike']);
  });
});

describe('a link with other letters or none', () => {
  it.each([
    ['https://b\u0430nk.test/', 'danger foreign-letters'],
    ['https://xn--bnk-6cd.test/', 'danger foreign-letters'],
    ['https://m\u00fcnchen.test/', 'note foreign-letters'],
    ['https://\u4f8b\u3048.test/', 'note foreign-letters'],
    ['javascript:alert(1)', 'danger not-web'],
    ['java&Tab;script:alert(1)', 'danger not-web'],
    ['data:text/html,x', 'danger not-web'],
    ['file:///etc/passwd', 'danger not-web'],
    ['ms-word:ofe|u|https://x.test/', 'warn not-web'],
    ['/relative', 'warn not-web'],
  ])('%s is reported as %s', (target, said) => {
    expect(kindsIn(link(target))).toEqual([said]);
  });

  it('is reported without text, but not with a picture', () => {
    expect(kindsIn(link('https://x.test/', ''))).toEqual(['warn no-text']);
    expect(kindsIn(link('https://x.test/', '<img src="cid:logo">'))).toEqual([]);
  });

  it('has the same findings in plain text', () => {
    expect(kindsIn({ text: 'See https://acme.example@evil.test/pay.' })).toEqual([
      'danger text-differs',
      'danger look-alike',
    ]);
    expect(kindsIn({ text: 'See https://acme.example/pay (or http://paypa1.com).' })).toEqual(['danger look-alike']);
  });
});
