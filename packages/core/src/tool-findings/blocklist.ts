import { broken, good, worth } from './finding.ts';

/** What the blocklist check can find (RFC 5782). */
export const BLOCKLIST_FINDINGS = {
  blocklist_clean: good('No list that could be asked has it.'),
  blocklist_listed: broken(
    'A blocklist has it: receivers that use the list refuse or sort out its mail.',
    'Read the list’s reason, mend the cause, then ask the list for removal on its web site.',
  ),
  blocklist_could_not_check: worth(
    'Not every list could be asked, or gave answers that can be believed. That is neither listed nor not listed.',
    'Large lists refuse questions by public DNS servers: let the installation ask through a resolver of its own (POSTRIDER_DNS_SERVERS).',
  ),
  blocklist_none_asked: worth(
    'No list of the kind that is needed is configured here.',
    'Name some in POSTRIDER_BLOCKLISTS.',
  ),
} as const;
