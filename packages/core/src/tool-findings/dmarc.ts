import { broken, good, worth } from './finding.ts';

/** What the DMARC check can find (RFC 7489). */
export const DMARC_FINDINGS = {
  dmarc_valid: good('Every receiver can parse the DMARC record.'),
  dmarc_inherited: good('The name has no DMARC record; that of its organizational domain applies.'),
  dmarc_alignment: good('How closely the domains of SPF and DKIM must match the sender’s.'),
  dmarc_missing: broken(
    'There is no DMARC record, neither at the name nor at its organizational domain.',
    'Publish a TXT record at `_dmarc.<domain>`, such as `v=DMARC1; p=none; rua=mailto:<address>`, and make it stricter once the reports look right.',
  ),
  dmarc_several_records: broken(
    'There is more than one DMARC record, so none of them counts (RFC 7489 §6.6.3).',
    'Keep one.',
  ),
  dmarc_syntax_error: broken(
    'The record cannot be parsed as a list of tags, or contains a tag twice.',
    'Write it as `v=DMARC1; p=…; rua=mailto:…`, each tag once.',
  ),
  dmarc_policy_missing: broken(
    'The record has no `p` tag, which is required directly after `v` (RFC 7489 §6.3).',
    'Add `p=none`, `p=quarantine` or `p=reject`.',
  ),
  dmarc_policy_invalid: broken(
    'Receivers do not know this policy (RFC 7489 §6.6.3).',
    'Use `none`, `quarantine` or `reject`.',
  ),
  dmarc_policy_none: worth(
    'The policy is `none`: mail that fails is only reported, not stopped.',
    'When the reports show that your mail passes, change to `p=quarantine`, then to `p=reject`.',
  ),
  dmarc_subdomain_policy_none: worth(
    'Subdomains have the policy `none`, weaker than the domain’s: anyone can send as one of them.',
    'Remove `sp`, or make it as strict as `p`.',
  ),
  dmarc_pct_partial: worth(
    'The policy applies to a part of the mail only (`pct`), and newer receivers ignore the number (RFC 9989).',
    'Remove `pct` once the reports look right.',
  ),
  dmarc_testing: worth(
    'The record is marked as a test (`t=y`): receivers apply the next weaker policy (RFC 9989).',
    'Remove `t=y` once the reports look right.',
  ),
  dmarc_tag_invalid: worth('A tag has an invalid value; receivers ignore it.', 'Correct or remove the tag.'),
  dmarc_unknown_tag: worth('Receivers do not know this tag; it may be mistyped.', 'Correct or remove the tag.'),
  dmarc_no_reports: worth(
    'No reports about the domain’s mail are sent: there is no `rua`.',
    'Add `rua=mailto:<address>` to receive the daily reports.',
  ),
  dmarc_report_address_invalid: worth(
    'An address for reports is not a valid `mailto:` URI; nothing is sent there.',
    'Write it as `mailto:name@example.com`, and separate several with commas.',
  ),
  dmarc_report_not_authorized: worth(
    'Reports go to another domain that has not agreed to receive them, so receivers send none (RFC 7489 §7.1).',
    'Have that domain publish the TXT record `v=DMARC1` at the name that is shown.',
  ),
  dmarc_could_not_check: worth(
    'A record could not be read, because DNS did not respond.',
    'Try again. If it continues, check the name servers of the domain.',
  ),
} as const;
