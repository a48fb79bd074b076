import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What an authenticator and its browser can be made to do wrong. */
export interface SigningOptions {
  readonly origin: string;
  readonly rpId?: string;
  /** The count of signatures that the authenticator reports. */
  readonly counter?: number;
  readonly isUserVerified?: boolean;
  readonly userHandle?: string;
  readonly type?: string;
  readonly isFramed?: boolean;
}

export interface CreationOptions {
  readonly challenge: string;
  readonly user: { readonly id: string };
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** A passkey in this process, with a key of its own, written from the WebAuthn specification. Its responses have the form that browsers send. */
export function createPasskey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let userHandle = '';
  let highest = 0;

  const authenticatorData = (given: SigningOptions, flags: number, more = Buffer.alloc(0)) => {
    // One that has counted goes on counting.
    const { rpId = 'localhost', counter = highest === 0 ? 0 : highest + 1, isUserVerified = true } = given;
    highest = Math.max(highest, counter);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | USER_PRESENT | (isUserVerified ? USER_VERIFIED : 0));
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), head, more]);
  };
  const credential = (response: Readonly<Record<string, unknown>>) => ({
    ...{ id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform', clientExtensionResults: {} },
    response,
  });

  return {
    id,
    /** @param statement the CBOR of the attestation: format and statement */
    register({ challenge, user }: CreationOptions, given: SigningOptions, statement = NO_ATTESTATION) {
      userHandle = user.id;
      const length = Buffer.from([0, credentialId.length]);
      const key = coseKey(publicKey.export({ format: 'jwk' }));
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, key]);
      const data = authenticatorData(given, HAS_CREDENTIAL, attested);
      const attestation = Buffer.concat([statement, text('authData'), Buffer.from([0x58, data.length]), data]);
      return credential({
        clientDataJSON: clientData('webauthn.create', challenge, given).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      });
    },
    sign({ challenge }: { readonly challenge: string }, given: SigningOptions) {
      const data = authenticatorData(given, 0);
      const client = clientData('webauthn.get', challenge, given);
      const signature = sign('sha256', Buffer.concat([data, createHash('sha256').update(client).digest()]), privateKey);
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: given.userHandle ?? userHandle,
      });
    },
  };
}

export type TestPasskey = ReturnType<typeof createPasskey>;

function clientData(type: string, challenge: string, given: SigningOptions): Buffer {
  const { origin, isFramed: crossOrigin = false } = given;
  return Buffer.from(JSON.stringify({ type: given.type ?? type, challenge, origin, crossOrigin }));
}

function sha256(content: string): Buffer {
  return createHash('sha256').update(content).digest();
}

/** A short CBOR text. */
function text(content: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + content.length]), Buffer.from(content)]);
}

/** The beginning of an attestation object: a map of three, `fmt` and `attStmt`. */
const NO_ATTESTATION = Buffer.concat([
  Buffer.from([0xa3]),
  text('fmt'),
  text('none'),
  text('attStmt'),
  Buffer.from([0xa0]),
]);

/** An attestation with one certificate, which a server that does not request any must not look at. */
export const CERTIFIED = Buffer.concat([
  ...[Buffer.from([0xa3]), text('fmt'), text('packed'), text('attStmt'), Buffer.from([0xa3])],
  ...[text('alg'), Buffer.from([0x26]), text('sig'), Buffer.from([0x41, 0x00])],
  ...[text('x5c'), Buffer.from([0x81, 0x41, 0x30])],
]);

/** An ES256 key as COSE writes it (RFC 9053, section 7.1.1). */
function coseKey({ x = '', y = '' }: { readonly x?: string; readonly y?: string }): Buffer {
  const part = (encoded: string) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(encoded, 'base64url')]);
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
  return Buffer.concat([head, Buffer.from([0x21]), part(x), Buffer.from([0x22]), part(y)]);
}
