import { broken, good, worth } from './finding.ts';

/** What the blocklist check can find (RFC 5782). */
export const BLOCKLIST_FINDINGS = {
  blocklist_clean: good('No list that could be queried contains it.'),
  blocklist_listed: broken(
    'A blocklist contains it: receivers that use the list reject or filter its mail.',
    'Read the list’s reason, fix the cause, then request removal on the list’s website.',
  ),
  blocklist_could_not_check: worth(
    'Not every list could be queried, or its responses were not credible. That means neither listed nor not listed.',
    'Large lists refuse queries from public DNS servers: use your own resolver (POSTRIDER_DNS_SERVERS).',
  ),
  blocklist_none_asked: worth('No list of the required kind is configured.', 'Add some to POSTRIDER_BLOCKLISTS.'),
} as const;
