import {
  foldAddress,
  formatMailbox,
  hasForbiddenCharacter,
  parseMailbox,
  toAsciiDomain,
  toStoredAddressPart,
} from '@postrider/core';
import { describe, expect, it } from 'vitest';

function parsed(given: string) {
  const verdict = parseMailbox(given);
  if (!verdict.ok) throw new Error(`${given} ${verdict.message}`);
  return verdict.mailbox;
}

function refusalOf(given: string): string {
  const verdict = parseMailbox(given);
  return verdict.ok ? `taken as ${verdict.mailbox.address}` : verdict.message;
}

describe('a mailbox', () => {
  it('is `a@b.c` or `Name <a@b.c>`', { tags: ['contract-sending.address-forms'] }, () => {
    expect(parsed('a@b.c')).toEqual({ name: null, address: 'a@b.c', local: 'a', domain: 'b.c' });
    expect(parsed('Ada Lovelace <ada@example.com>')).toEqual({
      name: 'Ada Lovelace',
      address: 'ada@example.com',
      local: 'ada',
      domain: 'example.com',
    });
  });

  it.each([
    ['<a@b.co>', null, 'a@b.co'],
    ['  a@b.co\u0020', null, 'a@b.co'],
    ['"Lovelace, Ada" <a@b.co>', 'Lovelace, Ada', 'a@b.co'],
    ['"a \\"b\\" c" <a@b.co>', 'a "b" c', 'a@b.co'],
    ['"" <a@b.co>', null, 'a@b.co'],
    ['Zoë 你好 <a@b.co>', 'Zoë 你好', 'a@b.co'],
    ["O'Neil+tag=x <o'neil+tag=x@b.co>", "O'Neil+tag=x", "o'neil+tag=x@b.co"],
    ['a@sub.sub2.b.co', null, 'a@sub.sub2.b.co'],
    ['a@b.xn--p1ai', null, 'a@b.xn--p1ai'],
  ])('reads %j', (given, name, address) => {
    expect(parsed(given)).toMatchObject({ name, address });
  });

  it('keeps the case of the local part and lowers the domain', { tags: ['contract-sending.local-part-case'] }, () => {
    expect(parsed('Ada.Lovelace@EXAMPLE.Com')).toMatchObject({
      address: 'Ada.Lovelace@example.com',
      local: 'Ada.Lovelace',
    });
    expect(foldAddress('Ada.Lovelace@example.com')).toBe('ada.lovelace@example.com');
  });

  it('converts an internationalized domain to A-labels', {
    tags: ['contract-sending.internationalised-domains'],
  }, () => {
    expect(parsed('a@Bücher.Example').address).toBe('a@xn--bcher-kva.example');
    expect(parsed('a@παράδειγμα.δοκιμή').domain).toBe('xn--hxajbheg2az3al.xn--jxalpdlp');
    expect(parsed('a@xn--bcher-kva.example').domain).toBe('xn--bcher-kva.example');
  });

  it.each([
    ['münchen', 'xn--mnchen-3ya'],
    ['Ada@MÜNCHEN.Exa', 'ada@xn--mnchen-3ya.exa'],
    ['.ö.at', '.xn--nda.at'],
    ['１２３', '123'],
    ['plain.example', null],
    ['zwei wörter', null],
    ['jürgen@example.com', null],
    ['a/ü', null],
  ])('finds the stored form of the part %j of an address', (text, stored) => {
    expect(toStoredAddressPart(text)).toBe(stored);
  });

  // Each of these is read by some lenient parser as other recipients than the string shows.
  it.each([
    ['', 'has no `@`'],
    ['nobody', 'has no `@`'],
    ['a@b.co, c@d.co', 'more than one address'],
    ['a@b.co;c@d.co', 'more than one address'],
    ['a@b.co c@d.co', 'before the `@`'],
    ['group: a@b.co, c@d.co;', 'more than one address'],
    ['undisclosed-recipients:;', 'has no `@`'],
    ['@relay.example:c@d.co', 'before the `@`'],
    ['a(comment)@b.co', 'before the `@`'],
    ['"a b"@b.co', 'before the `@`'],
    ['"a@b.co"@d.co', 'before the `@`'],
    ['a..b@c.co', 'before the `@`'],
    ['.a@c.co', 'before the `@`'],
    ['a.@c.co', 'before the `@`'],
    ['@c.co', 'before the `@`'],
    ['ü@c.co', 'outside ASCII'],
    ['a@', 'after the `@`'],
    ['a@localhost', 'after the `@`'],
    ['a@b.co.', 'after the `@`'],
    ['a@.b.co', 'after the `@`'],
    ['a@b..co', 'after the `@`'],
    ['a@-b.co', 'after the `@`'],
    ['a@b-.co', 'after the `@`'],
    ['a@b_c.co', 'after the `@`'],
    ['a@127.0.0.1', 'after the `@`'],
    ['a@[127.0.0.1]', 'after the `@`'],
    ['a@[IPv6:::1]', 'after the `@`'],
    ['a@b.co/c', 'after the `@`'],
    ['a@ü%2eco', 'after the `@`'],
    ['a@ü:25.co', 'after the `@`'],
    [`a@${'b'.repeat(64)}.co`, 'after the `@`'],
    ['a@b.co>', 'without a `<`'],
    ['A, B <a@b.co>', 'put the name in double quotes'],
    ['A <a@b.co> <c@d.co>', 'put the name in double quotes'],
    ['c@d.co <a@b.co>', 'put the name in double quotes'],
    ['"A" B <a@b.co>', 'unbalanced quotes'],
    ['"A <a@b.co>', 'unbalanced quotes'],
    ['"A\\" <a@b.co>', 'unbalanced quotes'],
  ])('rejects %j', (given, because) => {
    expect(refusalOf(given)).toContain(because);
  });

  it.each(['\r\nBcc: c@d.co', '\n', '\r', '\u0000', '\t', '\u0085', '\u2028', '\u202e', '\u2066', '\u200f', '\u061c'])(
    'rejects %j in any position',
    { tags: ['contract-sending.header-controls'] },
    (forbidden) => {
      const because = 'control or text-direction character';
      expect(refusalOf(`A${forbidden} <a@b.co>`)).toContain(because);
      expect(refusalOf(`a${forbidden}@b.co`)).toContain(because);
      expect(refusalOf(`a@b${forbidden}.co`)).toContain(because);
      expect(refusalOf(`a@b.co${forbidden}`)).toContain(because);
      expect(refusalOf(`${forbidden}a@b.co`)).toContain(because);
    },
  );

  it('has at most 64 characters before the @, 254 in the address, 512 in all', () => {
    const domain = (length: number) =>
      `${`${'d'.repeat(50)}.`
        .repeat(5)
        .slice(0, length - 3)
        .replace(/\.$/, 'd')}.co`;
    expect(parsed(`${'a'.repeat(64)}@b.co`).local).toHaveLength(64);
    expect(refusalOf(`${'a'.repeat(65)}@b.co`)).toContain('more than 64 characters');
    expect(parsed(`${'a'.repeat(10)}@${domain(243)}`).address).toHaveLength(254);
    expect(refusalOf(`${'a'.repeat(11)}@${domain(243)}`)).toContain('longer than 254 characters');
    const name = (length: number) => `${'n'.repeat(length - ' <a@b.co>'.length)} <a@b.co>`;
    expect(parsed(name(512)).name).toHaveLength(503);
    expect(refusalOf(name(513))).toContain('longer than 512 characters');
  });
});

describe('a displayed mailbox', () => {
  it.each([null, 'Ada', 'Boss, The', 'a "quoted" one', 'back\\slash', 'x <y@z.example>', 'ends in >', 'Müller: Söhne'])(
    'parses to the same mailbox: %s',
    (name) => {
      const verdict = parseMailbox(formatMailbox({ name, address: 'a@b.example' }));
      expect(verdict).toMatchObject({ ok: true, mailbox: { name, address: 'a@b.example' } });
    },
  );
});

describe('a domain name', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['a-b.c2', 'a-b.c2'],
    ['localhost', null],
    ['1.2.3.4', null],
    ['exa mple.com', null],
    ['a.b.', null],
    ['', null],
    [`${'a.'.repeat(126)}aa`, null],
    [`${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}a`],
  ])('%j is %j', (given, expected) => {
    expect(toAsciiDomain(given)).toBe(expected);
  });
});

describe('a character that is not allowed in a header', () => {
  it('is every ASCII and Latin-1 control, every line or paragraph separator and every text-direction control', () => {
    const forbidden = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).filter(
      hasForbiddenCharacter,
    );
    const codes = forbidden.map((character) => character.charCodeAt(0));
    const controls = [...range(0, 0x1f), ...range(0x7f, 0x9f)];
    const bidi = [0x061c, 0x200e, 0x200f, 0x2028, 0x2029, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)];
    expect(codes).toEqual([...controls, ...bidi]);
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
