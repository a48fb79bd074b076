import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  fillUnsubscribePlaceholder,
  hasUnsubscribePlaceholder,
} from '../../packages/server/src/unsubscribe/placeholder.ts';
import { createUnsubscribeLinks } from '../../packages/server/src/unsubscribe/unsubscribe-links.ts';

const SUBJECT = {
  accountId: '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  messageId: '0193a1b2-c3d4-7e5f-9a9b-ffffffffffff',
  ordinal: 49,
};

describe('unsubscribe links', () => {
  const links = createUnsubscribeLinks({ baseUrl: 'https://post.example.com/mail', secretKey: Buffer.alloc(32, 1) });
  const url = links.urlFor(SUBJECT);
  const token = url.split('/').at(-1) ?? '';

  it('name account, message and recipient, always the same, in a URL that needs no escaping', () => {
    expect(url).toMatch(/^https:\/\/post\.example\.com\/mail\/u\/[\w-]{68}$/);
    expect(links.urlFor(SUBJECT)).toBe(url);
    expect(links.read(token)).toEqual(SUBJECT);
  });

  it('cannot be created or changed without the key: no other bit, length or spelling of a token is read', () => {
    const bytes = Buffer.from(token, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(links.read(changed.toString('base64url')), `bit ${bit}`).toBeNull();
    }
    const others = [
      '',
      'x',
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      `${token} `,
      ` ${token}`,
      token.toUpperCase(),
    ];
    for (const other of [...others, randomBytes(51).toString('base64url'), bytes.toString('hex')]) {
      expect(links.read(other), other).toBeNull();
    }
    const foreign = createUnsubscribeLinks({ baseUrl: 'https://x.example', secretKey: Buffer.alloc(32, 2) });
    expect(foreign.read(token)).toBeNull();
  });
});

describe('the place for the link in a body', () => {
  it('is `{{unsubscribe_url}}`, with or without blanks inside the braces, and nothing similar', () => {
    for (const body of ['a {{unsubscribe_url}} b', '{{ unsubscribe_url }}', '{{\n unsubscribe_url\t}}']) {
      expect(hasUnsubscribePlaceholder(body), body).toBe(true);
    }
    const others = ['{unsubscribe_url}', '{{unsubscribe_url2}}', '{{ unsubscribe url }}', 'unsubscribe_url', '', null];
    for (const body of others) {
      expect(hasUnsubscribePlaceholder(body), String(body)).toBe(false);
      expect(fillUnsubscribePlaceholder(body, 'X')).toBe(body);
    }
  });

  it('is replaced everywhere with exactly the link, and all else stays', () => {
    const body = '$& {{unsubscribe_url}} {{name}} {{ unsubscribe_url }}';
    expect(fillUnsubscribePlaceholder(body, 'https://x/$1$&')).toBe('$& https://x/$1$& {{name}} https://x/$1$&');
  });
});
