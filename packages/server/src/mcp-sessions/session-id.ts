import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKeys } from '../derived-keys.ts';
import { toUuid, uuidBytes } from '../uuid-bytes.ts';

/** The key that a session belongs to. */
export interface SessionOwner {
  readonly accountId: string;
  readonly keyId: string;
}

/** What the id of a session contains. */
export interface SessionContent {
  /** A UUIDv7, so it tells when the session began. */
  readonly id: string;
  /** The place of the protocol version in the list of versions. */
  readonly version: number;
  /** A bit for each capability of the client that the server uses. */
  readonly capabilities: number;
}

/**
 * Creates and verifies ids of sessions. An id contains what the client declared and is signed together with its key, so any process can serve
 * the session without having stored anything, and to other keys it is unknown.
 */
export interface SessionIds {
  /** 48 URL-safe characters. */
  sign(owner: SessionOwner, content: SessionContent): string;
  /** Null if it was not created here for this key, or was changed. */
  read(owner: SessionOwner, id: string): SessionContent | null;
  /** The id of a request to the client: only these are accepted in responses that another process waits for. */
  signRequest(sessionId: string, nonce: string): string;
  isRequest(sessionId: string, requestId: string): boolean;
}

const FORMAT = 1;
const CONTENT_BYTES = 20;
const MAC_BYTES = 16;
const REQUEST_MAC_CHARACTERS = 16;

/** `secretKey`: the installation's 32 bytes, from which a key for this purpose only is derived. `formerKeys` are still accepted. */
export function createSessionIds(secretKey: Buffer, formerKeys: readonly Buffer[] = []): SessionIds {
  const { present, all } = deriveKeys('postrider mcp sessions', secretKey, formerKeys);
  const macOf = ({ accountId, keyId }: SessionOwner, content: Buffer, key: Buffer) =>
    createHmac('sha256', key)
      .update(Buffer.concat([uuidBytes(accountId), uuidBytes(keyId), content]))
      .digest()
      .subarray(0, MAC_BYTES);
  const requestMac = (sessionId: string, nonce: string, key: Buffer) =>
    createHmac('sha256', key)
      .update(`request ${sessionId} ${nonce}`)
      .digest('base64url')
      .slice(0, REQUEST_MAC_CHARACTERS);

  return {
    sign(owner, { id, version, capabilities }) {
      const content = Buffer.concat([Buffer.from([FORMAT]), uuidBytes(id), Buffer.from([version, 0, 0])]);
      content.writeUInt16BE(capabilities, CONTENT_BYTES - 2);
      return Buffer.concat([content, macOf(owner, content, present)]).toString('base64url');
    },
    read(owner, id) {
      const bytes = Buffer.from(id, 'base64url');
      // The decoder skips characters outside base64url, so other spellings of an id must be rejected.
      if (bytes.length !== CONTENT_BYTES + MAC_BYTES || bytes.toString('base64url') !== id) return null;
      const content = bytes.subarray(0, CONTENT_BYTES);
      const mac = bytes.subarray(CONTENT_BYTES);
      if (content[0] !== FORMAT || !all.some((key) => timingSafeEqual(macOf(owner, content, key), mac))) return null;
      return {
        id: toUuid(content.subarray(1, 17)),
        version: content.readUInt8(17),
        capabilities: content.readUInt16BE(CONTENT_BYTES - 2),
      };
    },
    signRequest: (sessionId, nonce) => `${nonce}.${requestMac(sessionId, nonce, present)}`,
    isRequest(sessionId, requestId) {
      const [nonce = '', mac = ''] = requestId.split('.');
      return all.some((key) => {
        const expected = Buffer.from(requestMac(sessionId, nonce, key));
        const given = Buffer.from(mac);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}
