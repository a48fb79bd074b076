import { broken, good, worth } from './finding.ts';

/** What the DKIM check can find (RFC 6376, RFC 8301, RFC 8463). */
export const DKIM_FINDINGS = {
  dkim_valid: good('The record contains a usable public key.'),
  dkim_selectors_tried: good(
    'No selector was given, so common ones were tried. A key under another selector is not found this way.',
  ),
  dkim_no_common_selector: worth(
    'None of the common selectors has a key. That does not mean that there is none.',
    'Pass the selector: it is the `s=` of the DKIM-Signature header of a message you sent.',
  ),
  dkim_missing: broken(
    'There is no record under this selector, so signatures that name it fail.',
    'Publish the TXT record from your provider, under `<selector>._domainkey.<domain>`.',
  ),
  dkim_several_records: broken(
    'There is more than one key under this selector; the behavior of receivers is undefined (RFC 6376 §3.6.2.2).',
    'Keep one record, and use a separate selector for each other key.',
  ),
  dkim_syntax_error: broken(
    'The record cannot be parsed as a list of tags.',
    'Publish it exactly as your provider shows it.',
  ),
  dkim_quotes: broken(
    'The record contains quotation marks: a value that was split into strings was pasted with its quotes.',
    'Publish the strings as one value; your DNS provider splits it.',
  ),
  dkim_wrong_version: broken(
    'The record’s `v` tag is not `DKIM1` or not the first tag; receivers ignore it (RFC 6376 §3.6.1).',
    'Begin the record with `v=DKIM1;`.',
  ),
  dkim_revoked: broken(
    'The key was revoked: `p=` is empty, and every signature that names this selector fails.',
    'Sign with another selector, or publish the key again.',
  ),
  dkim_retired_key: good('A selector has an empty key: it was retired, which is correct after a rotation.'),
  dkim_key_type_unknown: broken('The key is of a type that receivers do not know.', 'Use `k=rsa` or `k=ed25519`.'),
  dkim_key_unreadable: broken(
    'The `p` tag is not a public key of the type the record names.',
    'Publish the key again; it is often truncated, or broken by a line break.',
  ),
  dkim_key_too_short: broken(
    'The RSA key is shorter than 1024 bits; receivers ignore such signatures (RFC 8301 §3.2).',
    'Create a key of 2048 bits.',
  ),
  dkim_key_short: worth(
    'The RSA key is shorter than the recommended 2048 bits (RFC 8301 §3.2).',
    'Create a key of 2048 bits under a new selector.',
  ),
  dkim_key_too_long: worth(
    'The RSA key is longer than 4096 bits, which some receivers cannot verify (RFC 8301 §3.2).',
    'Use a key of 2048 bits.',
  ),
  dkim_hash_refused: broken(
    'The `h` tag does not allow sha256, the only hash that is still allowed (RFC 8301 §3.1).',
    'Remove the `h` tag, or set `h=sha256`.',
  ),
  dkim_not_for_email: broken(
    'The `s` tag says that the key is not for email (RFC 6376 §3.6.1).',
    'Remove the `s` tag, or set `s=email`.',
  ),
  dkim_testing: worth(
    'The key is in test mode (`t=y`): receivers may ignore its signatures.',
    'Remove `y` from the `t` tag once signing works.',
  ),
  dkim_wildcard: worth(
    'Every selector has the same record: a wildcard matches all of them.',
    'Publish the key under its own selector, and remove the wildcard.',
  ),
  dkim_could_not_check: worth(
    'The record could not be read, because DNS did not respond.',
    'Try again. If it continues, check the name servers of the domain.',
  ),
} as const;
