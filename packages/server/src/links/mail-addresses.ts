import { toAsciiDomain } from '@postrider/core/email-address';

/** What `mailto:` may set in a new message. Other fields attach files in some programs. */
const FIELDS = new Set(['to', 'cc', 'bcc', 'subject', 'body']);
const ADDRESS_FIELDS = new Set(['to', 'cc', 'bcc']);

/**
 * The addresses that a `mailto:` link writes to (RFC 6068), and null if one of them, or another effect of the link, is
 * uncertain. A link without an address asks the user for one.
 */
export function addressesOfMailto(url: string): readonly (string | null)[] {
  const [path = '', ...queries] = url.slice('mailto:'.length).split('?');
  const fields = queries.join('&').split(/&(?:amp;)?/);
  const found = addressesIn(path);
  for (const field of fields.filter((text) => text !== '')) {
    const [name = '', ...value] = field.split('=');
    const known = name.toLowerCase();
    if (!FIELDS.has(known)) found.push(null);
    else if (ADDRESS_FIELDS.has(known)) found.push(...addressesIn(value.join('=')));
  }
  return found;
}

/** Every `@` counts, also if a comma or a bracket is encoded: some programs read two addresses in `a@good.example%2Cb@evil.example`. */
function addressesIn(encoded: string): (string | null)[] {
  const text = decode(encoded);
  if (text === null) return [null];
  return text
    .split(/[,;<>\s]+/)
    .filter((part) => part !== '')
    .flatMap((part): (string | null)[] => {
      const [local = '', ...domains] = part.split('@');
      return domains.length === 0 || local === '' ? [null] : domains.map((domain) => toAddress(local, domain));
    });
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function toAddress(local: string, domain: string): string | null {
  const host = toAsciiDomain(domain);
  return host === null || domain.normalize('NFKC') !== domain ? null : `${local}@${host}`.toLowerCase();
}

/** Addresses in a message that do not surprise its reader: the recipients' own, and those of the sender's domain. */
export interface OwnAddresses {
  readonly addresses: ReadonlySet<string>;
  readonly domain: string;
}

/** Whether an address leads to someone else. Punctuation before it belongs to the sentence: `'me@example.com'`. */
export function isForeign(address: string, { addresses, domain }: OwnAddresses): boolean {
  const bare = address.replace(/^[^\p{L}\p{N}]{1,64}/u, '');
  return hostOfAddress(address) !== domain && !addresses.has(address) && !addresses.has(bare);
}

export function hostOfAddress(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** No message has more recipients, so one more address of a domain belongs to someone else. */
const OWN_MAX = 51;

/** As many addresses as a rule needs to reach the same verdict as on all of them. */
export function enoughAddresses(addresses: Iterable<string>, maxHosts: number): readonly string[] {
  const byHost = new Map<string, string[]>();
  for (const address of addresses) {
    const host = hostOfAddress(address);
    const known = byHost.get(host);
    if (known === undefined && byHost.size <= maxHosts + OWN_MAX) byHost.set(host, [address]);
    else if (known !== undefined && known.length <= OWN_MAX) known.push(address);
  }
  return [...byHost.values()].flat();
}
