import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { readCertificate } from '../smtp-submission/certificate.ts';
import { type DoctorCheck, fail, fixOf, messageOf, pass, skip, warn } from './doctor-check.ts';

const DAY_MS = 86_400_000;
/** Enough time to renew manually a certificate that should have been renewed automatically. */
const SOON_DAYS = 14;

export interface CertificateFacts {
  readonly mode: 'development' | 'production';
  /** Whether this installation accepts mail by SMTP submission at all. */
  readonly hasSubmission: boolean;
  readonly tlsFiles: { readonly certFile: string; readonly keyFile: string } | null;
  /** The names that clients may use for the server. */
  readonly names: readonly string[];
}

/** The certificate of SMTP submission: readable, matching its key, currently valid, and for a name that clients use. */
export function checkCertificate({ mode, hasSubmission, tlsFiles, names }: CertificateFacts, now: Date): DoctorCheck {
  if (!hasSubmission) return skip('certificate', 'The smtp role is off, so no certificate is used.');
  if (tlsFiles === null && mode === 'development')
    return pass('certificate', 'SMTP submission uses a self-signed certificate, as in development.');
  const give = 'Set POSTRIDER_TLS_CERT and POSTRIDER_TLS_KEY, or remove the smtp role.';
  if (tlsFiles === null) return warn('certificate', 'SMTP submission is off: it has no certificate.', give);
  try {
    return judge(new X509Certificate(readCertificate(tlsFiles).cert), names, now);
  } catch (error) {
    return fail('certificate', messageOf(error), fixOf(error, give));
  }
}

function judge(certificate: X509Certificate, names: readonly string[], now: Date): DoctorCheck {
  const own = certificate.subjectAltName?.replace(/\b(DNS|IP Address):/g, '') ?? 'no name';
  const until = certificate.validToDate.toISOString().slice(0, 10);
  const daysLeft = (certificate.validToDate.getTime() - now.getTime()) / DAY_MS;
  const renew = 'Renew it and restart the server.';
  if (daysLeft <= 0) return fail('certificate', `The certificate for ${own} expired on ${until}.`, renew);
  if (certificate.validFromDate > now) {
    const from = certificate.validFromDate.toISOString();
    return fail('certificate', `The certificate for ${own} is not valid before ${from}.`, 'Check the clock.');
  }
  if (daysLeft < SOON_DAYS) return warn('certificate', `The certificate for ${own} expires on ${until}.`, renew);
  if (!names.some((name) => isFor(certificate, name))) {
    const message = `The certificate is for ${own}, not for ${names.join(' or ')}.`;
    return warn('certificate', message, 'Get a certificate for the name that SMTP clients use for this server.');
  }
  return pass('certificate', `The certificate for ${own} is valid until ${until}.`);
}

/** Each of the two checks throws for the other kind of name. */
function isFor(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}
