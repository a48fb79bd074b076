import { describe, expect, it } from 'vitest';
import type { DeliveryContent } from '../../packages/server/src/db/queries/load-contents.ts';
import { findDifference } from '../../packages/server/src/delivery/check-approved.ts';
import { makeMessage } from '../../packages/server/src/delivery/make-message.ts';
import type { MessageOrder } from '../../packages/server/src/delivery/message-order.ts';
import { planTracking } from '../../packages/server/src/links/track-html.ts';
import { createTrackingUrls } from '../../packages/server/src/links/tracked-body.ts';
import { createTrackingTokens } from '../../packages/server/src/links/tracking-token.ts';
import type { ComposedMessage, Mailbox, MimeMessage } from '../../packages/server/src/mime/compose-mime.ts';
import { type SeededRandom, seededRandom } from '../harness/seeded-random.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { generateAttachments } from '../mime/generated-attachments.ts';
import { generateMessage } from '../mime/generated-messages.ts';

const ACCOUNT = '00000000-0000-7000-8000-0000000000a1';
const MESSAGE = '01990000-0000-7000-8000-0000000000b2';
const UNSUBSCRIBE_URL = 'https://mail.example.com/u/Zm9v';
const trackingUrlsOf = createTrackingUrls(createTrackingTokens(TEST_SECRET_KEY), 'https://mail.example.com');

/** The stored form of a message, with the hash of its content as if it had been approved. */
function orderOf(message: MimeMessage, fields: Partial<DeliveryContent> = {}): MessageOrder {
  const { from, to, cc, replyTo, subject, html, text, headers } = message;
  const rows = (kind: 'to' | 'cc', mailboxes: readonly Mailbox[]) =>
    mailboxes.map(({ name, address }) => ({ k: kind, n: name, e: address }));
  const recipients = [...rows('to', to), ...rows('cc', cc), { k: 'bcc' as const, n: null, e: 'blind@example.com' }];
  const content: DeliveryContent = {
    ...{ accountId: ACCOUNT, messageId: MESSAGE, isSealed: false, createdAt: message.date, hasBody: true },
    ...{ fromGiven: 'as given', fromDomain: from.address.slice(from.address.lastIndexOf('@') + 1), replyTo: null },
    ...{ subject, html, text, headers: Object.fromEntries(headers), unsubscribe: false, tracking: null },
    recipients: recipients.map((recipient, o) => ({ ...recipient, o, s: null })),
    ...{ attachmentBytes: 0, hold: { id: ACCOUNT, receipt: null } },
    ...fields,
  };
  const { tracking } = content;
  return {
    ...{ content, from, replyTo, ordinals: [0], attachments: message.attachments ?? [], opened: null },
    trackingUrls: tracking === null ? null : trackingUrlsOf(tracking, { accountId: ACCOUNT, messageId: MESSAGE }),
    unsubscribeUrl: content.unsubscribe || /\{\{/.test(`${html}${text}`) ? UNSUBSCRIBE_URL : null,
    approved: null,
  };
}

function compose(order: MessageOrder): ComposedMessage {
  const made = makeMessage(order);
  if (!made.ok) throw new Error(made.reason);
  return made.composed;
}

const HTML_PARTS: readonly [string, ...string[]] = [
  '<a href="https://shop.example/?a=1&amp;b=2">pay</a>',
  "<a href=' https://shop.example/\n?x '>pay</a>",
  '<a href=https://shop.example/bare>pay</a>',
  '<a href="https://shop.example/?a=1&b=2">pay</a>',
  '<area href="https://shop.example/map">',
  '<a href="{{unsubscribe_url}}">leave</a>',
  '<a href="{{ unsubscribe_url }}">leave</a>',
  `<p>${UNSUBSCRIBE_URL}</p>`,
  '<a href="mailto:ada@example.com">write</a>',
  '<p>Grüße\r\naus Köln</p>',
  '<p>lines\nof\rtext</p>',
  '<a data-postrider-track="off" href="https://shop.example/?a=1&amp;b=2">not tracked</a>',
  '<img src="https://shop.example/logo.png" width="1" height="1" alt="">',
  '</body>',
];

function generateHtml(random: SeededRandom): string {
  return Array.from({ length: random.integer(1, 12) }, () => random.pick(HTML_PARTS)).join('');
}

describe('the comparison of composed messages with approved content', () => {
  it('finds no difference in messages of any shape', { tags: ['receipts.delivered'] }, () => {
    const random = seededRandom('composed messages');
    for (let round = 0; round < 500; round += 1) {
      const message = { ...generateMessage(random), attachments: generateAttachments(random) };
      const order = orderOf(message);
      expect([round, findDifference(order, compose(order))]).toEqual([round, null]);
    }
  });

  it('takes tracking and unsubscribe links off before it compares', { tags: ['receipts.delivered'] }, () => {
    const random = seededRandom('tracked messages');
    for (let round = 0; round < 500; round += 1) {
      const html = generateHtml(random);
      const settings = { opens: random.chance(0.5), clicks: random.chance(0.8) };
      const message = { ...generateMessage(random), html, headers: [] };
      const order = orderOf(message, {
        tracking: planTracking(html, settings, { has: () => false }),
        unsubscribe: random.chance(0.5),
      });
      expect([html, findDifference(order, compose(order))]).toEqual([html, null]);
    }
  });

  const plain: MimeMessage = {
    ...{
      messageId: 'unused',
      date: new Date(0),
      from: { name: 'Ada', address: 'ada@example.com' },
      cc: [],
      replyTo: [],
    },
    ...{
      to: [
        { name: null, address: 'ann@example.com' },
        { name: 'Bob', address: 'bob@example.com' },
      ],
    },
    ...{ subject: 'Invoice', text: 'Pay 7 EUR', headers: [['X-Order', '7']], boundarySeed: '1' },
    html: '<p>Pay 7 EUR <a href="https://shop.example/one">here</a> <a href="https://shop.example/two">or here</a></p>',
    attachments: [{ filename: 'a.txt', contentType: 'text/plain', contentId: null, content: Buffer.from('seven') }],
  };
  const tracking = planTracking(plain.html ?? '', { opens: true, clicks: true }, { has: () => false });
  const order = orderOf(plain, { tracking });
  const [one = '', two = ''] = order.trackingUrls?.clicks ?? [];

  const CHANGES: Readonly<Record<string, readonly [what: string, from: string | RegExp, to: string]>> = {
    'another sender': ['the sender', 'From: Ada <', 'From: Boss <'],
    'a second sender': ['the sender', 'Subject:', 'From: evil@example.com\r\nSubject:'],
    'another recipient': ['the visible recipients', 'bob@example.com', 'eve@example.com'],
    'an added recipient': ['the visible recipients', 'To: ann@example.com', 'To: ann@example.com, eve@example.com'],
    'a copy': ['the visible recipients', 'Subject:', 'Cc: eve@example.com\r\nSubject:'],
    'a blind copy': ['the visible recipients', 'Subject:', 'Bcc: eve@example.com\r\nSubject:'],
    'another subject': ['the subject', 'Subject: Invoice', 'Subject: Urgent'],
    'a header': ['the headers', 'X-Order: 7', 'X-Order: 8'],
    'an added header': ['the headers', 'X-Order: 7', 'X-Order: 7\r\nReply-To: eve@example.com'],
    'a removed header': ['the headers', 'X-Order: 7\r\n', ''],
    'another text': ['the bodies', '\r\n\r\nPay 7', '\r\n\r\nPay 9'],
    'another HTML': ['the bodies', '<p>Pay 7', '<p>Pay 9'],
    'swapped tracking URLs': ['the bodies', one, two],
    'an untracked link': ['the bodies', one, 'https://evil.example/'],
    'a second image': ['the bodies', /<img[^>]*>/, '$&$&'],
    'another file': ['the files', 'c2V2ZW4=', 'ZWlnaHQ='],
    'another file name': ['the files', 'filename="a.txt"', 'filename="b.txt"'],
    'a file of another type': ['the files', 'text/plain; charset=utf-8; name', 'text/html; charset=utf-8; name'],
  };

  it.each(Object.entries(CHANGES))('finds %s', (_name, [what, from, to]) => {
    const composed = compose(order);
    expect(findDifference(order, composed)).toBe(null);
    const whole = `${composed.header}\r\n${composed.body}`.replaceAll(/;\r\n /g, '; ');
    const changed = whole.replace(from, to);
    expect(changed).not.toBe(whole);
    const end = changed.indexOf('\r\n\r\n') + 2;
    expect(findDifference(order, { header: changed.slice(0, end), body: changed.slice(end + 2) })).toBe(what);
  });

  it('finds every changed byte of a body or a file', { tags: ['receipts.tampered'] }, () => {
    const random = seededRandom('changed bytes');
    const { header, body } = compose(order);
    for (let round = 0; round < 500; round += 1) {
      const at = random.integer(0, body.length - 1);
      const byte = String.fromCharCode((body.charCodeAt(at) + random.integer(1, 255)) % 256);
      const changed = `${body.slice(0, at)}${byte}${body.slice(at + 1)}`;
      // The name in the type of a file is a copy for older clients.
      const [start, end] = [body.indexOf('name="a.txt"'), body.indexOf('Content-Transfer-Encoding: base64')];
      const isCopy = at >= start - 60 && at < end;
      if (!isCopy) expect([at, byte, findDifference(order, { header, body: changed })]).not.toEqual([at, byte, null]);
    }
  });
});
