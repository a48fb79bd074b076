import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface SelfMadeCertificate {
  /** PEM. */
  readonly key: string;
  /** PEM; it is its own authority, so whoever trusts it trusts this server. */
  readonly cert: string;
}

const DAY_MS = 86_400_000;

/**
 * Makes a certificate for the given DNS names and IPv4 addresses, signed by itself (X.509 v3, P-256, RFC 5280), valid
 * from yesterday for `days` days; a negative number makes one that has expired.
 */
export function makeCertificate(names: readonly string[], days = 30): SelfMadeCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(set(sequence(oid('550403'), utf8String(names[0] ?? 'test'))));
  const now = Date.now();
  const certified = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    subject,
    sequence(utcTime(now + Math.min(-1, days - 1) * DAY_MS), utcTime(now + days * DAY_MS)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(certificateAuthority(), alternativeNames(names))),
  );
  const signature = sign('sha256', certified, privateKey);
  const certificate = sequence(certified, ECDSA_WITH_SHA256, tagged(0x03, Buffer.from([0]), signature));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: toPem(certificate) };
}

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));

function certificateAuthority(): Buffer {
  const isAuthority = tagged(0x01, Buffer.from([0xff]));
  return sequence(oid('551d13'), isAuthority, tagged(0x04, sequence(isAuthority)));
}

function alternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    isIPv4(name) ? tagged(0x87, Buffer.from(name.split('.').map(Number))) : tagged(0x82, Buffer.from(name)),
  );
  return sequence(oid('551d11'), tagged(0x04, sequence(...entries)));
}

/** One DER element: tag, length, contents. */
function tagged(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const short = body.length < 0x80;
  const length = short ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
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

function utcTime(atMs: number): Buffer {
  const digits = new Date(atMs)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  return tagged(0x17, Buffer.from(digits.slice(2)));
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
