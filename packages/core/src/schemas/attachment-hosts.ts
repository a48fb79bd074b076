import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { toAsciiDomain } from './email-address.ts';

const SUBDOMAINS = '*.';
/** Allowed only in development. */
const LOCALHOST = 'localhost';

const attachmentHostSchema = z
  .string()
  .max(LIMITS.domainCharacters + SUBDOMAINS.length)
  .transform((given, context): string => {
    const host = toAttachmentHost(given.trim());
    if (host !== null) return host;
    context.addIssue({
      code: 'custom',
      message: 'must be a host name such as `files.example.com`, or `*.example.com` for its subdomains',
      params: { code: 'invalid_format' },
    });
    return z.NEVER;
  });

/** The hosts a key may fetch attachments from, as a caller writes them; stored in lower case with A-labels. */
export const newAttachmentHostsSchema = z.array(attachmentHostSchema).max(LIMITS.keyAttachmentHosts);

function toAttachmentHost(given: string): string | null {
  if (given.toLowerCase() === LOCALHOST) return LOCALHOST;
  const prefix = given.startsWith(SUBDOMAINS) ? SUBDOMAINS : '';
  const domain = toAsciiDomain(given.slice(prefix.length));
  return domain === null ? null : `${prefix}${domain}`;
}
