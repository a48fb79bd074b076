import { createPrivateKey, X509Certificate } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeSelfMadeCertificate } from './self-made-certificate.ts';

/** PEM, the format that TLS expects. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate that cannot be used. `fix` says what to do about it. */
class CertificateError extends Error {
  override readonly name = 'CertificateError';
  readonly fix =
    'Set POSTRIDER_TLS_CERT to the certificate chain and POSTRIDER_TLS_KEY to its private key, both in PEM format.';
}

export interface CertificateSettings {
  readonly mode: 'development' | 'production';
  /** Null means a self-signed certificate in development, and none in production. */
  readonly tlsFiles: { readonly certFile: string; readonly keyFile: string } | null;
  readonly dataDir: string;
}

/**
 * The certificate for all SMTP ports here, or null if there is none.
 * @throws CertificateError
 */
export function chooseCertificate({ mode, tlsFiles, dataDir }: CertificateSettings, now: Date): Certificate | null {
  if (tlsFiles !== null) return readCertificate(tlsFiles);
  return mode === 'development' ? prepareDevelopmentCertificate(dataDir, now) : null;
}

/**
 * Reads the certificate chain and its key.
 * @throws CertificateError if a file cannot be read or is not PEM, or if the two do not match.
 */
export function readCertificate(files: { readonly certFile: string; readonly keyFile: string }): Certificate {
  const cert = readPem('POSTRIDER_TLS_CERT', files.certFile);
  const key = readPem('POSTRIDER_TLS_KEY', files.keyFile);
  const parsed = parsePair({ cert, key });
  if (parsed === null)
    throw new CertificateError(
      `${files.certFile} and ${files.keyFile} do not contain a certificate and its private key.`,
    );
  return { cert, key };
}

const FILE = 'smtp-tls.pem';
const VALID_DAYS = 730;
const DAY_MS = 86_400_000;

/**
 * The self-signed certificate of a development server, for localhost and the machine's name. It is created once, stored
 * in the data directory with access for its owner only, and replaced on its last day. Clients must be configured to
 * trust it, or to skip verification.
 */
export function prepareDevelopmentCertificate(dataDir: string, now: Date): Certificate {
  const path = join(dataDir, FILE);
  const known = readKept(path, now);
  if (known !== null) return known;
  const made = makeCertificate(now);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${made.key}${made.cert}`, { mode: 0o600 });
  try {
    rmSync(path, { force: true });
    // If two processes start together, both use the certificate that one of them wrote.
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readKept(path, now) ?? made;
}

function readPem(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CertificateError(
      `${setting}: ${path} cannot be read (${error instanceof Error ? error.message : error}).`,
    );
  }
}

function parsePair({ cert, key }: Certificate): X509Certificate | null {
  try {
    const parsed = new X509Certificate(cert);
    return parsed.checkPrivateKey(createPrivateKey(key)) ? parsed : null;
  } catch {
    return null;
  }
}

/** The stored certificate, if there is one that is still valid tomorrow. */
function readKept(path: string, now: Date): Certificate | null {
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  const at = pem.indexOf('-----BEGIN CERTIFICATE-----');
  if (at === -1) return null;
  const pair = { key: pem.slice(0, at), cert: pem.slice(at) };
  const parsed = parsePair(pair);
  return parsed !== null && parsed.validToDate.getTime() - now.getTime() > DAY_MS ? pair : null;
}

function makeCertificate(now: Date): Certificate {
  return makeSelfMadeCertificate({
    names: [...new Set(['localhost', hostname()]), '127.0.0.1', '::1'],
    validFrom: new Date(now.getTime() - DAY_MS),
    validTo: new Date(now.getTime() + VALID_DAYS * DAY_MS),
  });
}
