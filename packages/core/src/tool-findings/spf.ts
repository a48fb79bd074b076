import { broken, good, worth } from './finding.ts';

/** What the SPF check can find (RFC 7208). */
export const SPF_FINDINGS = {
  spf_valid: good('The SPF record can be evaluated by every receiver.'),
  spf_missing: broken(
    'There is no SPF record, so receivers cannot tell which servers may send for the domain.',
    'Publish one TXT record such as `v=spf1 include:<your provider> ~all`.',
  ),
  spf_several_records: broken(
    'There is more than one SPF record, which is an error: none of them counts (RFC 7208 §4.5).',
    'Merge them into one TXT record that begins with `v=spf1`.',
  ),
  spf_syntax_error: broken(
    'The record has a term that cannot be read, which makes the whole record an error (RFC 7208 §4.6).',
    'Correct or remove the term that is named.',
  ),
  spf_too_many_lookups: broken(
    'Evaluating the record takes more than 10 DNS lookups; receivers stop with an error (RFC 7208 §4.6.4).',
    'Remove includes of services you no longer use, replace `a` and `mx` with addresses, or send from a subdomain with its own record.',
  ),
  spf_lookups_near_limit: worth(
    'The record takes 9 or 10 of the 10 DNS lookups allowed: one change at a provider that you include can break it.',
    'Remove terms that you no longer need.',
  ),
  spf_too_many_void_lookups: broken(
    'More than two lookups find nothing; receivers stop with an error (RFC 7208 §4.6.4).',
    'Remove the terms that name hosts without records.',
  ),
  spf_void_lookup: worth(
    'A term names a host without the records that it needs.',
    'Remove the term or correct the name.',
  ),
  spf_too_many_mx: broken(
    'An `mx` term names a domain with more than 10 mail exchangers, which is an error (RFC 7208 §4.6.4).',
    'List the addresses with `ip4` and `ip6` instead.',
  ),
  spf_plus_all: broken(
    'The record lets every server on the internet send as the domain.',
    'End the record with `~all` or `-all`, and remove ranges that contain all addresses.',
  ),
  spf_wide_range: worth(
    'A term allows a range of more than 16 million IPv4 addresses, or a comparable IPv6 one.',
    'List only the networks that send.',
  ),
  spf_neutral_all: worth(
    'The record ends with `?all`: it says nothing about servers that are not listed, so it gives no protection.',
    'End the record with `~all` or `-all`.',
  ),
  spf_no_all: worth(
    'The record has neither `all` nor `redirect`, so it says nothing about servers that are not listed.',
    'End the record with `~all` or `-all`.',
  ),
  spf_after_all: worth('Terms after `all` are never evaluated.', 'Move `all` to the end, or remove what follows it.'),
  spf_redirect_ignored: worth(
    '`redirect` has no effect in a record that has `all` (RFC 7208 §6.1).',
    'Remove the one or the other.',
  ),
  spf_ptr: worth(
    'The record uses `ptr`, which is slow, unreliable and should not be published (RFC 7208 §5.5).',
    'List the addresses with `ip4`, `ip6`, `a` or `mx` instead.',
  ),
  spf_record_too_long: worth(
    'The record is longer than 450 characters: the response may not fit into one UDP packet (RFC 7208 §3.4).',
    'Move a part of it into a separate record and include that.',
  ),
  spf_include_missing: broken(
    'An `include` or `redirect` leads to a name without an SPF record, which is an error (RFC 7208 §5.2).',
    'Correct the name, or remove the term.',
  ),
  spf_loop: broken(
    'The record includes itself, directly or through others; receivers exceed the limit of lookups.',
    'Remove the term that leads back.',
  ),
  spf_macro: good('A name is built from the message (macro), so this part can only be checked for one message.'),
  spf_too_large: broken(
    'There are more records to follow than any receiver would look up; the rest was not checked.',
    'Remove most of the includes.',
  ),
  spf_could_not_check: worth(
    'A record could not be read, because DNS did not respond.',
    'Try again. If it continues, check the name servers of the name.',
  ),
} as const;
