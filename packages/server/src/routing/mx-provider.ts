import { getDomain } from 'tldts';
import type { MxRoute } from './mx-route.ts';

/**
 * The destination that a domain shares with others: the operator of its best mail server, as that server's registrable
 * domain (`google.com` for all domains that Google hosts), else the domain itself.
 */
export function providerOf(domain: string, route: MxRoute): string {
  if (route.kind !== 'hosts' || route.isImplicit) return domain;
  const best = route.hosts[0]?.preference;
  // Picks the same one among equals every time.
  const names = route.hosts.filter(({ preference }) => preference === best).map(({ name }) => name);
  const [first] = names.sort();
  return first === undefined ? domain : (getDomain(first) ?? first);
}
