import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKeys } from '../derived-keys.ts';
import { toUuid, uuidBytes } from '../uuid-bytes.ts';

/** What a tracking URL identifies. It does not contain the recipient: a message knows whether it had only one. */
export interface TrackingSubject {
  readonly accountId: string;
  readonly messageId: string;
  /** Null for the image, else the link's index among the tracked links of the message. */
  readonly link: number | null;
}

/** Creates and verifies the tokens of tracking URLs. They are signed, so that no one can forge a token or change its target. */
export interface TrackingTokens {
  /** 59 URL-safe characters, 62 with a link. */
  sign(subject: TrackingSubject): string;
  /** Null if it was not created here or was changed. */
  read(token: string): TrackingSubject | null;
}

const UUID_BYTES = 16;
const IDS_BYTES = 2 * UUID_BYTES;
const LINK_BYTES = 2;
/** 96 bits: a forger must send each guess to the server. */
const MAC_BYTES = 12;

/** `secretKey`: the installation's 32 bytes, from which a key for this purpose only is derived. `formerKeys` are still accepted. */
export function createTrackingTokens(secretKey: Buffer, formerKeys: readonly Buffer[] = []): TrackingTokens {
  const { present, all } = deriveKeys('postrider tracking links', secretKey, formerKeys);
  const macOf = (content: Buffer, key: Buffer) =>
    createHmac('sha256', key).update(content).digest().subarray(0, MAC_BYTES);

  return {
    sign(subject) {
      const content = encode(subject);
      return Buffer.concat([content, macOf(content, present)]).toString('base64url');
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      const content = bytes.subarray(0, -MAC_BYTES);
      if (content.length !== IDS_BYTES && content.length !== IDS_BYTES + LINK_BYTES) return null;
      // The decoder skips characters outside base64url, so other spellings of a token must be rejected.
      if (bytes.toString('base64url') !== token) return null;
      const mac = bytes.subarray(-MAC_BYTES);
      return all.some((key) => timingSafeEqual(macOf(content, key), mac)) ? decode(content) : null;
    },
  };
}

function encode({ accountId, messageId, link }: TrackingSubject): Buffer {
  const content = Buffer.alloc(link === null ? IDS_BYTES : IDS_BYTES + LINK_BYTES);
  uuidBytes(accountId).copy(content);
  uuidBytes(messageId).copy(content, UUID_BYTES);
  if (link !== null) content.writeUInt16BE(link, IDS_BYTES);
  return content;
}

function decode(content: Buffer): TrackingSubject {
  return {
    accountId: toUuid(content.subarray(0, UUID_BYTES)),
    messageId: toUuid(content.subarray(UUID_BYTES, IDS_BYTES)),
    link: content.length === IDS_BYTES ? null : content.readUInt16BE(IDS_BYTES),
  };
}
