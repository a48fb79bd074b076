import { createHmac, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import type { SeededRandom } from '../harness/seeded-random.ts';

export interface Signer {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Readonly<Record<string, unknown>> & { readonly x: string };
}

export function makeSigner(): Signer {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = privateKey.export({ format: 'jwk' });
  const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
  return { kid, privateKey, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' } };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

function changeLetter(random: SeededRandom, text: string): string {
  const at = random.integer(0, text.length - 1);
  const others = [...`${ALPHABET}=+/. `].filter((letter) => letter !== text[at]);
  return `${text.slice(0, at)}${others[random.integer(0, others.length - 1)]}${text.slice(at + 1)}`;
}

interface Given {
  readonly random: SeededRandom;
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
  /** The key that signed it. */
  readonly own: Signer;
  /** Another key of the same server. */
  readonly former: Signer;
  /** The key of someone else, which is not in the key set. */
  readonly foreign: Signer;
  /** Another receipt of the same key. */
  readonly other: string;
}

const withHeader = ({ header, payload, signature }: Given, fields: object) =>
  `${encode({ ...decode(header), ...fields })}.${payload}.${signature}`;

function signedBy(signer: Signer, header: object, payload: string): string {
  const text = `${encode(header)}.${payload}`;
  return `${text}.${sign(null, Buffer.from(text), signer.privateKey).toString('base64url')}`;
}

function signedWithSecret({ header, payload }: Given, secret: string | Buffer): string {
  const text = `${encode({ ...decode(header), alg: 'HS256' })}.${payload}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

function withClaims({ header, payload, signature }: Given, fields: object): string {
  return `${header}.${encode({ ...decode(payload), ...fields })}.${signature}`;
}

/** Everything that someone may do to a receipt. */
export const CHANGES: Readonly<Record<string, (given: Given) => string>> = {
  'a letter of the header': ({ random, header, payload, signature }) =>
    `${changeLetter(random, header)}.${payload}.${signature}`,
  'a letter of the payload': ({ random, header, payload, signature }) =>
    `${header}.${changeLetter(random, payload)}.${signature}`,
  'a letter of the signature': ({ random, header, payload, signature }) =>
    `${header}.${payload}.${changeLetter(random, signature)}`,
  'the last letter of the signature, whose spare bits decoders ignore': ({ header, payload, signature }) => {
    const last = ALPHABET.indexOf(signature.at(-1) ?? '');
    return `${header}.${payload}.${signature.slice(0, -1)}${ALPHABET[last ^ 1]}`;
  },
  'a bit of the signature': ({ random, header, payload, signature }) => {
    const bytes = Buffer.from(signature, 'base64url');
    const at = random.integer(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
    return `${header}.${payload}.${bytes.toString('base64url')}`;
  },
  padding: ({ header, payload, signature }) => `${header}.${payload}.${signature}==`,
  'no signature': ({ header, payload }) => `${header}.${payload}.`,
  'a missing part': ({ header, payload }) => `${header}.${payload}`,
  'another part': ({ header, payload, signature }) => `${header}.${payload}.${signature}.${signature}`,
  'the algorithm none': (given) => withHeader(given, { alg: 'none' }),
  'the algorithm none, without a signature': ({ header, payload }) =>
    `${encode({ ...decode(header), alg: 'none' })}.${payload}.`,
  'HS256 with the public key as the secret': (given) =>
    signedWithSecret(given, Buffer.from(given.own.jwk.x, 'base64url')),
  'HS256 with the JWK as the secret': (given) => signedWithSecret(given, JSON.stringify(given.own.jwk)),
  'another type': (given) => withHeader(given, { typ: 'JWT' }),
  'a critical extension': (given) =>
    signedBy(given.own, { ...decode(given.header), crit: ['exp'], exp: 1 }, given.payload),
  'another kind of token of the same key': (given) =>
    signedBy(given.own, { ...decode(given.header), typ: 'JWT' }, given.payload),
  'the id of another key of the server': (given) => withHeader(given, { kid: given.former.kid }),
  'the id of no key': (given) => withHeader(given, { kid: 'none' }),
  'no id of a key': (given) => withHeader(given, { kid: undefined }),
  'a foreign key under its own id': (given) =>
    signedBy(given.foreign, { ...decode(given.header), kid: given.foreign.kid }, given.payload),
  'a foreign key under the id of the server’s': (given) => signedBy(given.foreign, decode(given.header), given.payload),
  'a foreign key in the header': (given) =>
    signedBy(given.foreign, { ...decode(given.header), jwk: given.foreign.jwk }, given.payload),
  'another issuer, by the same key': (given) =>
    signedBy(given.own, decode(given.header), encode({ ...decode(given.payload), iss: 'https://other.example' })),
  'another content': (given) => withClaims(given, { contentHash: 'f'.repeat(64) }),
  'another message': (given) => withClaims(given, { emailId: '01990000-0000-7000-8000-00000000ffff' }),
  'another decision': (given) =>
    withClaims(given, { decision: decode(given.payload)['decision'] === 'approved' ? 'rejected' : 'approved' }),
  'the signature of another receipt': ({ header, payload, other }) => `${header}.${payload}.${other.split('.')[2]}`,
  'the payload of another receipt': ({ header, signature, other }) => `${header}.${other.split('.')[1]}.${signature}`,
};

/** The parts of a receipt. */
export function partsOf(receipt: string): Pick<Given, 'header' | 'payload' | 'signature'> {
  const [header = '', payload = '', signature = ''] = receipt.split('.');
  return { header, payload, signature };
}
