import { findOperation, type HoldWhen, toInlineSchema } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { findHoldReasons, type HoldQuestion } from '../../packages/server/src/approvals/holds/hold-rules.ts';
import { findLinkHosts } from '../../packages/server/src/links/link-hosts.ts';
import { deriveText } from '../../packages/server/src/sending/derive-text.ts';

const NOTHING: HoldWhen = {
  firstContact: false,
  recipientDomainNotIn: null,
  recipientsOver: null,
  hasBcc: false,
  hasAttachments: false,
  freeformBody: false,
  linkDomainNotIn: null,
};

const QUESTION: HoldQuestion = {
  recipients: [{ email: 'Ada@Example.com', kind: 'to' }],
  carriesFiles: false,
  isTemplated: true,
  links: () => ({ hosts: [], addresses: [], unreadable: false }),
  ownAddresses: { addresses: new Set(), domain: 'sender.example' },
  isKnown: () => true,
  isTrusted: () => false,
};

const reasons = (rules: Partial<HoldWhen>, question: Partial<HoldQuestion> = {}) =>
  findHoldReasons({ mode: 'policy', holdWhen: { ...NOTHING, ...rules } }, { ...QUESTION, ...question });

describe('the rules that hold a send', { tags: ['approvals.modes'] }, () => {
  it.each<[string, Partial<HoldWhen>, Partial<HoldQuestion>, boolean]>([
    ['no new recipient', { firstContact: true }, {}, false],
    ['an address the account never wrote to', { firstContact: true }, { isKnown: () => false }, true],
    [
      'a new address that an approver trusts',
      { firstContact: true },
      { isKnown: () => false, isTrusted: () => true },
      false,
    ],
    ['contacts that cannot be looked up', { firstContact: true }, { isKnown: null }, true],
    ['a listed domain, whatever its case', { recipientDomainNotIn: ['example.com'] }, {}, false],
    ['a domain that is not listed', { recipientDomainNotIn: ['example.org'] }, {}, true],
    ['a subdomain of a listed one', { recipientDomainNotIn: ['com'] }, {}, true],
    ['no domain listed at all', { recipientDomainNotIn: [] }, {}, true],
    ['a trusted recipient elsewhere', { recipientDomainNotIn: [] }, { isTrusted: () => true }, false],
    ['as many recipients as allowed', { recipientsOver: 1 }, {}, false],
    ['one more', { recipientsOver: 0 }, {}, true],
    ['no bcc recipient', { hasBcc: true }, {}, false],
    ['a bcc recipient', { hasBcc: true }, { recipients: [{ email: 'b@example.com', kind: 'bcc' }] }, true],
    ['no file', { hasAttachments: true }, {}, false],
    ['a file', { hasAttachments: true }, { carriesFiles: true }, true],
    ['a template', { freeformBody: true }, {}, false],
    ['a body without a template', { freeformBody: true }, { isTemplated: false }, true],
    [
      'a listed link',
      { linkDomainNotIn: ['a.example'] },
      { links: () => findLinkHosts(null, ['https://a.example/x']) },
      false,
    ],
    [
      'another link',
      { linkDomainNotIn: ['a.example'] },
      { links: () => findLinkHosts(null, ['https://b.example/x']) },
      true,
    ],
    [
      'a link that cannot be read',
      { linkDomainNotIn: ['a.example'] },
      { links: () => ({ hosts: [], addresses: [], unreadable: true }) },
      true,
    ],
  ])('%s', (_name, rules, question, isHeld) => {
    expect(reasons(rules, question)).toEqual(isHeld ? Object.keys(rules) : []);
  });

  it('name every rule that matches, and hold everything in the mode `always` and without a policy', () => {
    const question = { recipients: [{ email: 'x@evil.example', kind: 'bcc' as const }], isTemplated: false };
    expect(reasons({ hasBcc: true, freeformBody: true, recipientDomainNotIn: [] }, question)).toEqual([
      'recipientDomainNotIn',
      'hasBcc',
      'freeformBody',
    ]);
    expect(findHoldReasons({ mode: 'always', holdWhen: NOTHING }, QUESTION)).toEqual(['always']);
    expect(findHoldReasons({ mode: 'policy', holdWhen: null }, QUESTION)).toEqual(['always']);
    expect(reasons({})).toEqual([]);
  });
});

describe('the description of the rule about links', () => {
  it('names every place that it checks', () => {
    const said = JSON.stringify(toInlineSchema(findOperation('keys.create').body, 'input'));
    expect(said).toContain('in the HTML, the text, the subject, a header or a display name');
  });
});

describe('the hosts that a message leads to', { tags: ['approvals.modes'] }, () => {
  it.each<[string, string | null, string | null, string[]]>([
    ['an anchor', '<a href="https://Evil.Example/x">x</a>', null, ['evil.example']],
    [
      'a user name that looks like a host',
      '<a href="https://good.example@evil.example/">x</a>',
      null,
      ['evil.example', '?'],
    ],
    ['no scheme', '<a href="//evil.example/x">x</a>', null, ['evil.example']],
    ['backslashes', '<a href="https:\\\\evil.example\\x">x</a>', null, ['evil.example', '?']],
    ['line breaks in it', '<a href="ht\ntps://ev\til.example">x</a>', null, ['evil.example', '?']],
    ['character references', '<a href="&#104;ttps&colon;//evil.example">x</a>', null, ['evil.example']],
    ['another alphabet', '<a href="https://bücher.example">x</a>', null, ['xn--bcher-kva.example']],
    ['a dot at the end', '<a href="https://evil.example./">x</a>', null, ['evil.example']],
    ['no quotes', '<a href=https://evil.example>x</a>', null, ['evil.example']],
    ['a quote that never ends', '<a href="https://evil.example', null, ['evil.example']],
    ['a harmless one in quotes before it', "<area title='href='# href='https://evil.example'>", null, ['evil.example']],
    [
      'a listed one in quotes before it',
      `<v:rect title="href=https://good.example/"href="https://evil.example">`,
      null,
      ['good.example', 'evil.example'],
    ],
    [
      'another in the middle of it',
      "<form title='action='https://good.example/ action=https://evil.example x='>",
      null,
      ['good.example', 'evil.example'],
    ],
    ['names within its own query', '<a href="https://good.example/?action=view&href=x">x</a>', null, ['good.example']],
    ['another scheme', '<a href="ftp://evil.example/f">x</a>', null, ['evil.example']],
    ['an address of numbers', '<a href="http://203.0.113.9/x">x</a>', null, ['203.0.113.9']],
    ['SVG', '<svg><a xlink:href="https://evil.example">x</a></svg>', null, ['evil.example']],
    [
      'a comment that some programs read',
      '<!--[if mso]><a href="https://evil.example">x</a><![endif]-->',
      null,
      ['evil.example'],
    ],
    ['a form', '<form action="https://evil.example/in"></form>', null, ['evil.example']],
    ['a base', '<base href="https://evil.example/">', null, ['evil.example']],
    ['a URL in the text', null, 'see https://evil.example/x.', ['evil.example']],
    ['a URL in the text of the HTML', '<p>see https://evil.example/x</p>', '', ['evil.example']],
    [
      'a name that becomes a link',
      null,
      'go to www.evil.example now, or to evil.com',
      ['www.evil.example', 'evil.com'],
    ],
    [
      'mail, telephones and anchors',
      '<a href="mailto:a@evil.com">x</a><a href="tel:+1">y</a><a href="#z">z</a>',
      'a@evil.com',
      ['a@evil.com'],
    ],
    ['the own unsubscribe link', '<a href="{{ unsubscribe_url }}">x</a>', '{{unsubscribe_url}}', []],
    ['file names and ends of sentences', null, 'See report.pdf and node.js. Thanks.Bye', []],
    ['an image', '<img src="https://cdn.example/x.png">', null, ['cdn.example']],
    ['a script', '<a href="javascript:alert(1)">x</a>', null, ['?']],
    ['nowhere', '<a href="/path">x</a>', null, ['?']],
    ['a broken URL', '<a href="https://[">x</a>', null, ['?']],
  ])('%s', (_name, html, text, hosts) => {
    const found = findLinkHosts(html, [text, deriveText(html ?? '')]);
    const isHost = (host: string) => host !== '?' && !host.includes('@');
    expect(found).toEqual({
      hosts: hosts.filter(isHost),
      addresses: hosts.filter((host) => host.includes('@')),
      unreadable: hosts.includes('?'),
    });
  });

  it('are found in the subject, including bare names and addresses', () => {
    const lines = [
      'See https://evil.example/x',
      '<https://list.example/leave>, <mailto:a@b.example>',
      'Your acme.com order',
    ];
    expect(findLinkHosts(null, [null], lines)).toEqual({
      hosts: ['evil.example', 'list.example', 'acme.com'],
      addresses: ['a@b.example'],
      unreadable: false,
    });
  });

  it('are found in time proportional to the length', () => {
    const startedAt = performance.now();
    for (const part of ['<a href="', "href='x", 'href =  ', 'a.'.repeat(4), '//:', '<a href=//x.example>']) {
      findLinkHosts(part.repeat(100_000 / part.length), [part.repeat(100_000 / part.length)]);
    }
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
