import { getDomain } from 'tldts';
import type { MxRoute } from './mx-route.ts';

/**
 * The destination that a domain shares with others: who runs the best of its mail servers, as the registrable domain of that server
 * (`google.com` for all that Google hosts), else the domain itself.
 */
export function providerOf(domain: string, route: MxRoute): string {
  if (route.kind !== 'hosts' || route.isImplicit) return domain;
  const best = route.hosts[0]?.preference;
  // The same among equals whenever it is asked.
  const names = route.hosts.filter(({ preference }) => preference === best).map(({ name }) => name);
  const [first] = names.sort();
  return first === undefined ? domain : (getDomain(first) ?? first);
}
