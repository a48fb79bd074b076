import { broken, good, worth } from './finding.ts';

/** What the MX check can find (RFC 5321 §5, RFC 7505, RFC 2181). */
export const MX_FINDINGS = {
  mx_valid: good('Mail exchangers are published and have public addresses. No connection to them was made.'),
  mx_name_missing: broken(
    'The domain does not exist in the DNS.',
    'Check the spelling, and that the domain is registered.',
  ),
  mx_missing: broken(
    'The domain has neither mail exchangers nor an address: no mail can be delivered to it.',
    'Publish an MX record that names the host that accepts its mail.',
  ),
  mx_fallback_address: worth(
    'The domain has no MX record; mail is sent to the address of the domain itself (RFC 5321 §5.1), which is often a web server.',
    'Publish an MX record that names the host that accepts its mail.',
  ),
  mx_null: worth(
    'The domain accepts no mail (null MX, RFC 7505), so replies and bounces to it fail.',
    'Nothing, if that is intended. Otherwise, publish an MX record with a host.',
  ),
  mx_null_with_others: broken(
    'There is a null MX beside other MX records, which is a contradiction (RFC 7505 §3).',
    'Remove the null MX or the others.',
  ),
  mx_is_address: broken(
    'An MX record contains an IP address instead of a host name; no server can deliver to it.',
    'Give the host a name, and use the name in the MX record.',
  ),
  mx_is_cname: worth(
    'A mail exchanger is an alias (CNAME), which is not allowed (RFC 2181 §10.3); some servers do not deliver to it.',
    'Use the host that the alias points to.',
  ),
  mx_no_address: broken('A mail exchanger has no address.', 'Publish an A or AAAA record for it, or remove it.'),
  mx_private_address: broken(
    'A mail exchanger has an address that is not reachable from the internet.',
    'Publish the public address of the host.',
  ),
  mx_no_ptr: worth(
    'An address of a mail exchanger has no name (PTR). If it sends mail too, many receivers reject that.',
    'Ask the network’s owner to publish a PTR record that names the host.',
  ),
  mx_ptr_mismatch: worth(
    'The name of an address (PTR) does not resolve to the address.',
    'Make the PTR record and the A or AAAA record name each other.',
  ),
  mx_too_many: worth(
    'There are more mail exchangers than the check covers.',
    'A handful is enough; remove the ones you do not need.',
  ),
  mx_could_not_check: worth(
    'A record could not be read, because DNS did not respond.',
    'Try again. If it continues, check the name servers of the name.',
  ),
} as const;
