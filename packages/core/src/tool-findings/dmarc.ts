import { broken, good, worth } from './finding.ts';

/** What the DMARC check can find (RFC 7489). */
export const DMARC_FINDINGS = {
  dmarc_valid: good('The DMARC record can be read by every receiver.'),
  dmarc_inherited: good('The name has no record of its own; that of its organisational domain holds for it.'),
  dmarc_alignment: good('How near the domains of SPF and DKIM have to be to the sender’s.'),
  dmarc_missing: broken(
    'There is no DMARC record, neither at the name nor at its organisational domain.',
    'Publish a TXT record at `_dmarc.<domain>`, such as `v=DMARC1; p=none; rua=mailto:<address>`, and make it stricter once the reports look right.',
  ),
  dmarc_several_records: broken(
    'There is more than one DMARC record, so that none of them counts (RFC 7489 §6.6.3).',
    'Keep one.',
  ),
  dmarc_syntax_error: broken(
    'The record cannot be read as a list of tags, or names a tag twice.',
    'Write it as `v=DMARC1; p=…; rua=mailto:…`, each tag once.',
  ),
  dmarc_policy_missing: broken(
    'The record has no `p` tag, which is required and comes right behind `v` (RFC 7489 §6.3).',
    'Add `p=none`, `p=quarantine` or `p=reject`.',
  ),
  dmarc_policy_invalid: broken(
    'The policy is none that receivers know (RFC 7489 §6.6.3).',
    'Use `none`, `quarantine` or `reject`.',
  ),
  dmarc_policy_none: worth(
    'The policy is `none`: mail that fails is only reported, not stopped.',
    'Once the reports show your own mail passing, go on to `p=quarantine`, then `p=reject`.',
  ),
  dmarc_subdomain_policy_none: worth(
    'Subdomains have the policy `none`, weaker than the domain’s own: anybody can send as one of them.',
    'Remove `sp`, or make it as strict as `p`.',
  ),
  dmarc_pct_partial: worth(
    'The policy holds for a part of the mail only (`pct`), and newer receivers take no account of the number (RFC 9989).',
    'Remove `pct` once the reports look right.',
  ),
  dmarc_testing: worth(
    'The record is marked as a test (`t=y`): receivers apply the next weaker policy (RFC 9989).',
    'Remove `t=y` once the reports look right.',
  ),
  dmarc_tag_invalid: worth(
    'A tag has a value that is not valid; receivers pass over it.',
    'Correct or remove the tag.',
  ),
  dmarc_unknown_tag: worth('A tag is none that receivers know, perhaps mistyped.', 'Correct or remove the tag.'),
  dmarc_no_reports: worth(
    'Nobody is told what becomes of the domain’s mail: there is no `rua`.',
    'Add `rua=mailto:<address>` to receive the daily reports.',
  ),
  dmarc_report_address_invalid: worth(
    'An address for reports is not a valid `mailto:` URI; nothing is sent there.',
    'Write it as `mailto:name@example.com`, several of them parted by commas.',
  ),
  dmarc_report_not_authorized: worth(
    'Reports go to another domain that has not agreed to take them, so that receivers send none (RFC 7489 §7.1).',
    'Have that domain publish the TXT record `v=DMARC1` at the name given.',
  ),
  dmarc_could_not_check: worth(
    'A record could not be read, because the DNS did not answer.',
    'Try again; should it last, check the name servers of the domain.',
  ),
} as const;
