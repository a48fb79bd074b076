import {
  makeSelfMadeCertificate,
  type SelfMadeCertificate,
} from '../../packages/server/src/smtp-submission/self-made-certificate.ts';

export type { SelfMadeCertificate };

const DAY_MS = 86_400_000;

/** Creates a certificate for the names, valid from yesterday for `days` days; a negative number creates an expired one. */
export function makeCertificate(names: readonly string[], days = 30): SelfMadeCertificate {
  const now = Date.now();
  return makeSelfMadeCertificate({
    names,
    validFrom: new Date(now + Math.min(-1, days - 1) * DAY_MS),
    validTo: new Date(now + days * DAY_MS),
  });
}
