import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { readCertificate } from '../smtp-submission/certificate.ts';
import { type DoctorCheck, fail, fixOf, messageOf, pass, skip, warn } from './doctor-check.ts';

const DAY_MS = 86_400_000;
/** Time enough to renew by hand what should have renewed itself. */
const SOON_DAYS = 14;

export interface CertificateFacts {
  readonly mode: 'development' | 'production';
  /** Whether this installation takes mail by SMTP submission at all. */
  readonly hasSubmission: boolean;
  readonly tlsFiles: { readonly certFile: string; readonly keyFile: string } | null;
  /** The names that clients may call the server by. */
  readonly names: readonly string[];
}

/** The certificate of SMTP submission: readable, of its key, of this day, and for a name that clients use. */
export function checkCertificate({ mode, hasSubmission, tlsFiles, names }: CertificateFacts, now: Date): DoctorCheck {
  if (!hasSubmission) return skip('certificate', 'The role smtp is off: no certificate is used.');
  if (tlsFiles === null && mode === 'development')
    return pass('certificate', 'SMTP submission uses a self-made certificate, as development does.');
  const give = 'Set POSTRIDER_TLS_CERT and POSTRIDER_TLS_KEY, or leave the role smtp out.';
  if (tlsFiles === null) return warn('certificate', 'SMTP submission is closed: it has no certificate.', give);
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
    return fail('certificate', `The certificate for ${own} is valid only from ${from}.`, 'Check the clock.');
  }
  if (daysLeft < SOON_DAYS) return warn('certificate', `The certificate for ${own} expires on ${until}.`, renew);
  if (!names.some((name) => isFor(certificate, name))) {
    const message = `The certificate is for ${own}, and not for ${names.join(' or ')}.`;
    return warn('certificate', message, 'Get one for the name by which clients reach SMTP submission.');
  }
  return pass('certificate', `The certificate for ${own} is valid until ${until}.`);
}

/** Either check throws on what the other is for. */
function isFor(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}
