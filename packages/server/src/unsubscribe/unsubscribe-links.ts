import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKeys } from '../derived-keys.ts';

/** One recipient of one message. */
export interface UnsubscribeSubject {
  readonly accountId: string;
  readonly messageId: string;
  /** The recipient's position in the message. */
  readonly ordinal: number;
}

/** Links that let a recipient unsubscribe without signing in. Only the recipient of a link has it. */
export interface UnsubscribeLinks {
  urlFor(subject: UnsubscribeSubject): string;
  /** What the token in such a URL identifies; null if it was not made here, or was changed. */
  read(token: string): UnsubscribeSubject | null;
}

export interface UnsubscribeLinkOptions {
  /** The base URL of the pages, without a trailing slash. */
  readonly baseUrl: string;
  /** The installation's secret, from which the key of the links is derived. */
  readonly secretKey: Buffer;
  /** Links made with these are still accepted. */
  readonly formerSecretKeys?: readonly Buffer[];
}

const VERSION = 1;
const UUID_BYTES = 16;
const BODY_BYTES = 1 + 2 * UUID_BYTES + 2;
/** 128 bits of the code cannot be guessed, and keep the link short. */
const MAC_BYTES = 16;

/**
 * Tokens are base64url of: version, account, message, the recipient's position, and a truncated HMAC-SHA-256 of these.
 * They contain no date, because they are valid as long as the message is in the log, and no address, because links are
 * logged in transit.
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
