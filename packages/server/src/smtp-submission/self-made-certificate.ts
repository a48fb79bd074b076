import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

export interface SelfMadeCertificate {
  /** PEM. */
  readonly key: string;
  /** PEM. It is its own authority, so a client that trusts it trusts this server. */
  readonly cert: string;
}

export interface CertificateOptions {
  /** DNS names and IP addresses; the first is the subject. */
  readonly names: readonly string[];
  readonly validFrom: Date;
  readonly validTo: Date;
}

/** Creates a self-signed certificate: X.509 v3 (RFC 5280), P-256, SHA-256. */
export function makeSelfMadeCertificate({ names, validFrom, validTo }: CertificateOptions): SelfMadeCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(set(sequence(oid('550403'), utf8String(names[0] ?? 'localhost'))));
  const certified = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    // RFC 5280 §4.1.2.2: positive, and unique.
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    subject,
    sequence(time(validFrom), time(validTo)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(certificateAuthority(), alternativeNames(names))),
  );
  const certificate = sequence(certified, ECDSA_WITH_SHA256, bitString(signWith(privateKey, certified)));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: toPem(certificate) };
}

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));

function signWith(key: KeyObject, certified: Buffer): Buffer {
  return sign('sha256', certified, key);
}

function certificateAuthority(): Buffer {
  const isAuthority = tagged(0x01, Buffer.from([0xff]));
  return sequence(oid('551d13'), isAuthority, tagged(0x04, sequence(isAuthority)));
}

function alternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    isIPv4(name) || isIPv6(name) ? tagged(0x87, addressBytes(name)) : tagged(0x82, Buffer.from(name)),
  );
  return sequence(oid('551d11'), tagged(0x04, sequence(...entries)));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** One DER element (X.690): tag, length, contents. */
function tagged(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const isShort = body.length < 0x80;
  const length = isShort ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return tagged(0x30, ...contents);
}

function set(...contents: readonly Buffer[]): Buffer {
  return tagged(0x31, ...contents);
}

function integer(value: Buffer): Buffer {
  return tagged(0x02, value);
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function utf8String(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text));
}

function bitString(value: Buffer): Buffer {
  return tagged(0x03, Buffer.from([0]), value);
}

/** RFC 5280 §4.1.2.5: UTCTime, which is valid until 2049. */
function time(at: Date): Buffer {
  const digits = at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  return tagged(0x17, Buffer.from(digits.slice(2)));
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
