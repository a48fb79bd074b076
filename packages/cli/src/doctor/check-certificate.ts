import { connect, type PeerCertificate } from 'node:tls';
import { isLoopback } from '@postrider/mcp/credentials';
import { singleLine } from '../output/untrusted-text.ts';
import { type Finding, fail, pass, skip, warn } from './doctor-check.ts';

const DAY_MS = 86_400_000;
/** Enough time to renew by hand if automatic renewal failed. */
const SOON_DAYS = 14;

/** Checks the certificate of an https base URL: trust, name and expiry. */
export async function checkCertificate(baseUrl: string, timeoutMs: number, signal?: AbortSignal): Promise<Finding> {
  const url = new URL(baseUrl);
  if (url.protocol === 'http:' && isLoopback(baseUrl))
    return skip('certificate', 'The server is on this machine and uses plain HTTP.');
  if (url.protocol === 'http:') {
    const message = `${url.origin} uses plain HTTP: anyone on the network path can read the key.`;
    return warn('certificate', message, 'Put a TLS proxy in front of the server, and use its https:// address.');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const result = await readCertificate(host, url.port === '' ? 443 : Number(url.port), timeoutMs, signal);
  return typeof result === 'string'
    ? skip('certificate', `The TLS connection to ${url.host} failed: ${result}.`)
    : judge(url.host, result);
}

interface PeerCertificateResult {
  readonly certificate: PeerCertificate;
  /** Why it is not trusted; null if it is. */
  readonly fault: string | null;
}

function judge(host: string, { certificate, fault }: PeerCertificateResult): Finding {
  const names = singleLine((certificate.subjectaltname ?? '').replace(/\b(DNS|IP Address):/g, '')) || 'no name';
  const endsAt = new Date(certificate.valid_to);
  const until = endsAt.toISOString().slice(0, 10);
  const leftMs = endsAt.getTime() - Date.now();
  const renew = 'Renew it on the server.';
  if (leftMs <= 0) return fail('certificate', `The certificate of ${host} expired on ${until}.`, renew);
  if (fault !== null) {
    const message = `The certificate of ${host}, for ${names}, is not trusted (${singleLine(fault)}).`;
    const fix =
      'Get a certificate for that name from a public authority, or set NODE_EXTRA_CA_CERTS to the file of your own authority.';
    return fail('certificate', message, fix);
  }
  if (leftMs < SOON_DAYS * DAY_MS) return warn('certificate', `The certificate of ${host} expires on ${until}.`, renew);
  return pass('certificate', `The certificate of ${host}, for ${names}, is valid until ${until}.`);
}

/** A string says why no certificate was read. */
function readCertificate(
  host: string,
  port: number,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<PeerCertificateResult | string> {
  return new Promise((resolve) => {
    // The connection is not rejected here, so that the check can report the reason.
    const socket = connect({ host, port, servername: /^[\d.]+$|:/.test(host) ? '' : host, rejectUnauthorized: false });
    const end = (result: PeerCertificateResult | string) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(timeoutMs, () => end('no response in time'));
    signal?.addEventListener('abort', () => end('interrupted'), { once: true });
    socket.once('error', (error) => end(error.message));
    socket.once('secureConnect', () => {
      const { authorizationError: fault } = socket;
      end({ certificate: socket.getPeerCertificate(), fault: socket.authorized ? null : codeOf(fault) });
    });
  });
}

/** Node passes an error code where its types declare an error. */
function codeOf(fault: unknown): string {
  if (typeof fault === 'string') return fault;
  if (!(fault instanceof Error)) return 'unknown reason';
  return 'code' in fault ? String(fault.code) : fault.message;
}
