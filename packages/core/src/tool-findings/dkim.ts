import { broken, good, worth } from './finding.ts';

/** What the DKIM check can find (RFC 6376, RFC 8301, RFC 8463). */
export const DKIM_FINDINGS = {
  dkim_valid: good('The record holds a usable public key.'),
  dkim_selectors_tried: good(
    'No selector was given, so that common ones were tried. A key under another selector is not found this way.',
  ),
  dkim_no_common_selector: worth(
    'None of the common selectors has a key. That does not mean that there is none.',
    'Give the selector: it is the `s=` of the DKIM-Signature header of a message you sent.',
  ),
  dkim_missing: broken(
    'There is no record under this selector, so signatures that name it fail.',
    'Publish the TXT record your provider gave you, under `<selector>._domainkey.<domain>`.',
  ),
  dkim_several_records: broken(
    'There is more than one key under this selector; what receivers do then is undefined (RFC 6376 §3.6.2.2).',
    'Keep one record, and use a selector of its own for each further key.',
  ),
  dkim_syntax_error: broken(
    'The record cannot be read as a list of tags.',
    'Publish it exactly as it was given to you.',
  ),
  dkim_quotes: broken(
    'The record holds quotation marks: a value that was split into strings was pasted with its quotes.',
    'Publish the strings as one value; your DNS provider splits it by itself.',
  ),
  dkim_wrong_version: broken(
    'The record’s `v` tag is not `DKIM1` or not the first tag; receivers pass over it (RFC 6376 §3.6.1).',
    'Begin the record with `v=DKIM1;`.',
  ),
  dkim_revoked: broken(
    'The key was revoked: `p=` is empty, and every signature that names this selector fails.',
    'Sign with another selector, or publish the key again.',
  ),
  dkim_retired_key: good('A selector has an empty key: it was retired, as it should be after a rotation.'),
  dkim_key_type_unknown: broken('The key is of a type that receivers do not know.', 'Use `k=rsa` or `k=ed25519`.'),
  dkim_key_unreadable: broken(
    'The `p` tag is not a public key of the type the record names.',
    'Publish the key again; it is often cut off, or broken by a line break.',
  ),
  dkim_key_too_short: broken(
    'The RSA key is shorter than 1024 bits; receivers take such signatures for none (RFC 8301 §3.2).',
    'Make a key of 2048 bits.',
  ),
  dkim_key_short: worth(
    'The RSA key is shorter than 2048 bits, which is what is recommended (RFC 8301 §3.2).',
    'Make a key of 2048 bits under a new selector.',
  ),
  dkim_key_too_long: worth(
    'The RSA key is longer than 4096 bits, which receivers need not be able to verify (RFC 8301 §3.2).',
    'Use a key of 2048 bits.',
  ),
  dkim_hash_refused: broken(
    'The `h` tag leaves out sha256, the one hash that may still be used (RFC 8301 §3.1).',
    'Remove the `h` tag, or set `h=sha256`.',
  ),
  dkim_not_for_email: broken(
    'The `s` tag says that the key is not for email (RFC 6376 §3.6.1).',
    'Remove the `s` tag, or set `s=email`.',
  ),
  dkim_testing: worth(
    'The key is marked as being tested (`t=y`): receivers may treat signatures as none.',
    'Remove `y` from the `t` tag once signing works.',
  ),
  dkim_wildcard: worth(
    'Every selector has the same record: a wildcard answers for all of them.',
    'Publish the key under its own selector, and remove the wildcard.',
  ),
  dkim_could_not_check: worth(
    'The record could not be read, because the DNS did not answer.',
    'Try again; should it last, check the name servers of the domain.',
  ),
} as const;
