import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKeys } from '../derived-keys.ts';

/** One recipient of one message. */
export interface UnsubscribeSubject {
  readonly accountId: string;
  readonly messageId: string;
  /** The recipient's place in the message. */
  readonly ordinal: number;
}

/** Links that let a recipient unsubscribe without signing in: whoever has one can only be who it was sent to. */
export interface UnsubscribeLinks {
  urlFor(subject: UnsubscribeSubject): string;
  /** What a token of such a URL names; null where it was not made here, or was changed. */
  read(token: string): UnsubscribeSubject | null;
}

export interface UnsubscribeLinkOptions {
  /** Where the pages are served from, without a slash at the end. */
  readonly baseUrl: string;
  /** The installation's secret; the key of the links is derived from it. */
  readonly secretKey: Buffer;
  /** Links made with these are still honoured. */
  readonly formerSecretKeys?: readonly Buffer[];
}

const VERSION = 1;
const UUID_BYTES = 16;
const BODY_BYTES = 1 + 2 * UUID_BYTES + 2;
/** 128 bits of the code are far beyond guessing, and keep the link short. */
const MAC_BYTES = 16;

/**
 * Tokens are base64url of: version, account, message, the recipient's place, and a truncated HMAC-SHA-256 over these. They carry no date, since
 * they hold as long as the message is in the log, and no address, since links are logged on their way.
 */
export function createUnsubscribeLinks({
  baseUrl,
  secretKey,
  formerSecretKeys = [],
}: UnsubscribeLinkOptions): UnsubscribeLinks {
  const { present, all } = deriveKeys('postrider unsubscribe links', secretKey, formerSecretKeys);
  const macOf = (body: Buffer, key: Buffer) => createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES);

  return {
    urlFor(subject) {
      const body = writeBody(subject);
      return `${baseUrl}/u/${Buffer.concat([body, macOf(body, present)]).toString('base64url')}`;
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== BODY_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) return null;
      const body = bytes.subarray(0, BODY_BYTES);
      const mac = bytes.subarray(BODY_BYTES);
      if (body[0] !== VERSION || !all.some((key) => timingSafeEqual(mac, macOf(body, key)))) return null;
      return readBody(body);
    },
  };
}

function writeBody({ accountId, messageId, ordinal }: UnsubscribeSubject): Buffer {
  const body = Buffer.alloc(BODY_BYTES);
  body[0] = VERSION;
  body.write(accountId.replaceAll('-', ''), 1, 'hex');
  body.write(messageId.replaceAll('-', ''), 1 + UUID_BYTES, 'hex');
  body.writeUInt16BE(ordinal, 1 + 2 * UUID_BYTES);
  return body;
}

function readBody(body: Buffer): UnsubscribeSubject {
  return {
    accountId: toUuid(body.toString('hex', 1, 1 + UUID_BYTES)),
    messageId: toUuid(body.toString('hex', 1 + UUID_BYTES, 1 + 2 * UUID_BYTES)),
    ordinal: body.readUInt16BE(1 + 2 * UUID_BYTES),
  };
}

function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
