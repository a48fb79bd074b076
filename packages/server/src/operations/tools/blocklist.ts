import { toAsciiDomain } from '@postrider/core';
import { type BlocklistTarget, checkBlocklist as lookAt, toAddress } from '../../diagnostics/check-blocklist.ts';
import { toCheckResult } from '../../diagnostics/check-result.ts';
import { hasFalsePunycode } from '../../diagnostics/false-punycode.ts';
import { refuseAddress } from '../../outbound/public-address.ts';
import type { Handler } from '../context.ts';
import { validationFailed } from '../parse-part.ts';

/** Lists change slowly, and are queried no more often than the TTL of their responses. */
export const checkBlocklist: Handler<'tools.blocklist'> = async ({ body }, { services: { database, diagnostics } }) => {
  const { clock } = database;
  const asked = readTarget(body.target);
  const result = await diagnostics.checks.run((lookups) => lookAt(lookups.dns, diagnostics.blocklists, asked));
  return { body: toCheckResult('blocklist', asked.target, result, clock.now()) };
};

/** Lists cover the public internet, so the addresses of a private network are not disclosed to them. */
function readTarget(target: string): BlocklistTarget {
  const given = target.trim();
  const address = toAddress(given);
  if (address === null) {
    const domain = toAsciiDomain(given.replace(/\.$/, ''));
    if (domain !== null && !hasFalsePunycode(domain)) return { kind: 'domain', target: domain };
    const message = 'must be an IPv4 address, an IPv6 address or a domain name';
    throw validationFailed([{ path: 'target', code: 'invalid_target', message }]);
  }
  const refused = refuseAddress(address, { allowLoopback: false });
  if (refused === null) return { kind: 'address', target: address };
  throw validationFailed([{ path: 'target', code: 'private_address', message: refused }]);
}
