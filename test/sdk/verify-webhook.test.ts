import { createHmac, randomBytes } from 'node:crypto';
import { PostriderError, type VerifyWebhookOptions, verifyWebhook } from '@postrider/sdk';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, 01').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another secret of as many bytes!').toString('base64')}`;
const NOW = new Date('2026-11-21T12:00:00.000Z');
const EVENT = {
  id: '019aa6f0-0000-7000-8000-000000000001',
  type: 'email.delivered',
  createdAt: NOW.toISOString(),
  apiVersion: '1',
  data: { emailId: '019aa6f0-0000-7000-8000-000000000002', subject: 'Grüße — 你好', metadata: { order: '7' } },
};
const BODY = JSON.stringify(EVENT);

function headersOf(body: string | Buffer, { id = EVENT.id, at = NOW, secret = SECRET } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, String(body)),
  };
}

const verify = (
  body: string | Uint8Array | ArrayBuffer,
  headers: Parameters<typeof verifyWebhook>[1],
  secret: string | readonly string[] = SECRET,
  options: VerifyWebhookOptions = {},
) => verifyWebhook(body, headers, secret, { now: NOW, ...options });

function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (!(error instanceof PostriderError)) throw error;
    expect(error).toMatchObject({ status: null, retryable: false, requestId: null, body: null });
    expect([error.detail, error.fix].every((text) => text.length > 10)).toBe(true);
    expect(error.message).not.toContain(SECRET);
    return error.code;
  }
  return 'accepted';
}

describe('verifyWebhook', { tags: ['contract-surfaces.sdk-verify-webhook'] }, () => {
  it('returns the event of a body signed by an independent library, synchronously', () => {
    expect(verify(BODY, headersOf(BODY))).toEqual(EVENT);
  });

  it('accepts text, bytes and a buffer, and headers as every platform has them', () => {
    const headers = headersOf(BODY);
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [BODY, bytes, Buffer.from(BODY), bytes.buffer]) expect(verify(body, headers)).toEqual(EVENT);
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const listed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const given of [new Headers(headers), shouted, listed]) expect(verify(BODY, given)).toEqual(EVENT);
  });

  it('reads a view of a larger buffer as the part it is', () => {
    const padded = Buffer.concat([Buffer.from('xx'), Buffer.from(BODY), Buffer.from('yy')]);
    expect(verify(padded.subarray(2, -2), headersOf(BODY))).toEqual(EVENT);
  });

  it('accepts the old and the new secret while a rotation lasts, on either side', () => {
    const both = {
      ...headersOf(BODY),
      'webhook-signature': [
        headersOf(BODY, { secret: OTHER })['webhook-signature'],
        headersOf(BODY)['webhook-signature'],
      ].join(' '),
    };
    for (const secret of [SECRET, OTHER, [SECRET, OTHER], [OTHER]]) expect(verify(BODY, both, secret)).toEqual(EVENT);
    expect(verify(BODY, headersOf(BODY), [OTHER, SECRET])).toEqual(EVENT);
    expect(codeOf(() => verify(BODY, headersOf(BODY), OTHER))).toBe('webhook_signature_mismatch');
  });

  it('accepts the secret without its prefix too', () => {
    expect(verify(BODY, headersOf(BODY), SECRET.slice('whsec_'.length))).toEqual(EVENT);
  });

  it('rejects a body, an id or a time that differs from the signed one', () => {
    const headers = headersOf(BODY);
    const changed = [
      () => verify(BODY.replace('7', '8'), headers),
      () => verify(`${BODY} `, headers),
      () => verify(JSON.stringify(EVENT, null, 2), headers),
      () => verify(BODY, { ...headers, 'webhook-id': 'another' }),
      () => verify(BODY, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }),
    ];
    expect(changed.map(codeOf)).toEqual(changed.map(() => 'webhook_signature_mismatch'));
  });

  it('rejects invalid signatures: of another version, cut, longer, empty, or not base64', () => {
    const headers = headersOf(BODY);
    const value = headers['webhook-signature'].slice('v1,'.length);
    const forged = [
      `v1a,${value}`,
      `v2,${value}`,
      value,
      `v1,${value.slice(0, -5)}`,
      `v1,${value}AAAA`,
      'v1,',
      'v1,!',
      'v1',
      ',',
    ];
    for (const signature of [...forged, forged.join(' '), `v1,${value},x`]) {
      expect(
        codeOf(() => verify(BODY, { ...headers, 'webhook-signature': signature })),
        signature,
      ).toBe('webhook_signature_mismatch');
    }
    const among = { ...headers, 'webhook-signature': `${forged.join(' ')} v1,${value}` };
    expect(verify(BODY, among)).toEqual(EVENT);
  });

  it('names the header that is missing', () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      for (const given of [undefined, '', []]) {
        const headers = { ...headersOf(BODY), [name]: given };
        expect(codeOf(() => verify(BODY, headers))).toBe('webhook_header_missing');
        expect(() => verify(BODY, headers)).toThrow(name);
      }
    }
    expect(codeOf(() => verify(BODY, new Headers()))).toBe('webhook_header_missing');
  });

  it('allows five minutes either way, or the configured tolerance', () => {
    const at = (seconds: number) => headersOf(BODY, { at: new Date(NOW.getTime() + seconds * 1_000) });
    for (const seconds of [-300, 0, 300]) expect(verify(BODY, at(seconds))).toEqual(EVENT);
    for (const seconds of [-301, 301, -86_400]) {
      expect(codeOf(() => verify(BODY, at(seconds)))).toBe('webhook_timestamp_outside_tolerance');
    }
    expect(verify(BODY, at(-3_600), SECRET, { toleranceSeconds: 3_600 })).toEqual(EVENT);
    expect(codeOf(() => verify(BODY, at(-2), SECRET, { toleranceSeconds: 1 }))).toBe(
      'webhook_timestamp_outside_tolerance',
    );
    for (const text of ['soon', '-5', '1e9', '1.5', ' 17', NOW.toISOString()]) {
      expect(codeOf(() => verify(BODY, { ...headersOf(BODY), 'webhook-timestamp': text }))).toBe(
        'webhook_timestamp_invalid',
      );
    }
  });

  it('uses this machine’s clock as the present', () => {
    expect(verifyWebhook(BODY, headersOf(BODY, { at: new Date() }), SECRET)).toEqual(EVENT);
    expect(codeOf(() => verifyWebhook(BODY, headersOf(BODY, { at: new Date(0) }), SECRET))).toBe(
      'webhook_timestamp_outside_tolerance',
    );
  });

  it('rejects a signed body that is not an event', () => {
    for (const body of ['', 'null', '[]', '"x"', '{}', '{"type":"email.sent"}', '{']) {
      expect(codeOf(() => verify(body, headersOf(body)))).toBe('webhook_body_invalid');
    }
  });

  it('throws immediately for invalid arguments, and never quotes a secret', () => {
    const headers = headersOf(BODY);
    const wrong: readonly (() => unknown)[] = [
      () => verify(EVENT as never, headers),
      () => verify(undefined as never, headers),
      () => verify(BODY, headers, ''),
      () => verify(BODY, headers, []),
      () => verify(BODY, headers, 'whsec_'),
      () => verify(BODY, headers, 'whsec_not base64'),
      () => verifyWebhook(BODY, headers, undefined as never),
      () => verify(BODY, null as never),
    ];
    for (const call of wrong) expect(call).toThrow(TypeError);
    expect(() => verify(BODY, headers, 'whsec_not base64')).not.toThrow('whsec_not');
    for (const toleranceSeconds of [-1, Number.NaN]) {
      expect(() => verify(BODY, headers, SECRET, { toleranceSeconds })).toThrow(RangeError);
    }
  });

  it('computes what OpenSSL computes, for keys and bodies of every length around a block', () => {
    for (let length = 0; length < 200; length += 1) {
      const key = randomBytes(1 + (length % 140));
      const secret = `whsec_${key.toString('base64')}`;
      const body = JSON.stringify({ ...EVENT, data: { text: randomBytes(length).toString('latin1') } });
      const timestamp = String(NOW.getTime() / 1_000);
      const mac = createHmac('sha256', key).update(`x.${timestamp}.${body}`).digest('base64');
      const headers = { 'webhook-id': 'x', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
      expect(verify(body, headers, secret)).toMatchObject({ id: EVENT.id });
    }
  });
});
