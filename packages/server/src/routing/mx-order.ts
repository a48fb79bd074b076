import type { MailHost } from './mx-route.ts';

/** What is known about the candidate servers and addresses, by name or address. */
export interface Experience {
  /** True if an idle connection is already open. */
  readonly isOpen: (key: string) => boolean;
  /** True if it did not respond recently. */
  readonly isAvoided: (key: string) => boolean;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * The order in which to try servers: by preference, and at random among equals, which spreads the load (RFC 5321,
 * section 5.1). Two rules save time: a server with an open connection is first among its equals, and one that did not
 * respond recently is last of all.
 */
export function orderHosts(hosts: readonly MailHost[], experience: Experience): readonly MailHost[] {
  const shuffled = shuffle(hosts, experience.random).sort(
    (one, other) =>
      one.preference - other.preference || rank(experience.isOpen(other.name)) - rank(experience.isOpen(one.name)),
  );
  return avoidedLast(shuffled, ({ name }) => experience.isAvoided(name));
}

/**
 * The order in which to try the addresses of one server: IPv6 and IPv4 alternate, so that a network without one of them
 * succeeds at the second attempt. Addresses with an open connection are first, those that did not respond are last.
 */
export function orderAddresses(
  ipv4: readonly string[],
  ipv6: readonly string[],
  experience: Experience,
): readonly string[] {
  const four = shuffle(ipv4, experience.random);
  const six = shuffle(ipv6, experience.random);
  const interleaved = Array.from({ length: Math.max(four.length, six.length) }, (_, at) => [six[at], four[at]])
    .flat()
    .filter((address) => address !== undefined);
  const openFirst = interleaved.sort((one, other) => rank(experience.isOpen(other)) - rank(experience.isOpen(one)));
  return avoidedLast(openFirst, experience.isAvoided);
}

function avoidedLast<Item>(items: readonly Item[], isAvoided: (item: Item) => boolean): readonly Item[] {
  return [...items.filter((item) => !isAvoided(item)), ...items.filter(isAvoided)];
}

function rank(isFirst: boolean): number {
  return isFirst ? 1 : 0;
}

/** Fisher–Yates shuffle. */
function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const at = Math.floor(random() * (last + 1));
    const [item] = shuffled.splice(at, 1);
    if (item !== undefined) shuffled.splice(last, 0, item);
  }
  return shuffled;
}
