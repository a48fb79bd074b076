import type { MailHost } from './mx-route.ts';

/** What is known of the servers and addresses that could be tried, by name or address. */
export interface Experience {
  /** True where a connection is open already and has no work. */
  readonly isOpen: (key: string) => boolean;
  /** True where nobody answered a short while ago. */
  readonly isAvoided: (key: string) => boolean;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * The order in which servers are tried: by preference, and among equals in random order, so that the load is spread (RFC 5321, section
 * 5.1). Two things come before that, to spare everybody time: a server with an open connection goes before its equals, and one that did
 * not answer a short while ago goes behind all others.
 */
export function orderHosts(hosts: readonly MailHost[], experience: Experience): readonly MailHost[] {
  const shuffled = shuffle(hosts, experience.random).sort(
    (one, other) =>
      one.preference - other.preference || rank(experience.isOpen(other.name)) - rank(experience.isOpen(one.name)),
  );
  return avoidedLast(shuffled, ({ name }) => experience.isAvoided(name));
}

/**
 * The order in which the addresses of one server are tried: IPv6 and IPv4 in turn, so that a network without the one reaches the other
 * after one attempt; open ones first, those that did not answer last.
 */
export function orderAddresses(
  ipv4: readonly string[],
  ipv6: readonly string[],
  experience: Experience,
): readonly string[] {
  const four = shuffle(ipv4, experience.random);
  const six = shuffle(ipv6, experience.random);
  const inTurn = Array.from({ length: Math.max(four.length, six.length) }, (_, at) => [six[at], four[at]])
    .flat()
    .filter((address) => address !== undefined);
  const openFirst = inTurn.sort((one, other) => rank(experience.isOpen(other)) - rank(experience.isOpen(one)));
  return avoidedLast(openFirst, experience.isAvoided);
}

function avoidedLast<Item>(items: readonly Item[], isAvoided: (item: Item) => boolean): readonly Item[] {
  return [...items.filter((item) => !isAvoided(item)), ...items.filter(isAvoided)];
}

function rank(isFirst: boolean): number {
  return isFirst ? 1 : 0;
}

/** Fisher and Yates. */
function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const at = Math.floor(random() * (last + 1));
    const [item] = shuffled.splice(at, 1);
    if (item !== undefined) shuffled.splice(last, 0, item);
  }
  return shuffled;
}
