import type { DnsResolver, DnsResult } from '../dns/dns-resolver.ts';
import { effectiveTerms, hasMacro, isSpfRecord, readSpfRecord, type SpfRecord, type SpfTerm } from './spf-record.ts';

/** One record of the tree, or the place where one is expected. */
export interface SpfNode {
  readonly name: string;
  readonly via: 'start' | 'include' | 'redirect';
  readonly parent: string | null;
  readonly depth: number;
  readonly state: 'found' | 'missing' | 'several' | 'loop' | 'macro' | 'could_not_check';
  readonly text: string | null;
  readonly record: SpfRecord | null;
  /** The terms of this record only. */
  readonly lookups: number;
  readonly probes: readonly SpfProbe[];
  readonly children: readonly SpfNode[];
  /** Why it could not be checked. */
  readonly reason: string | null;
}

/** The result of following a term with a host name. */
export interface SpfProbe {
  readonly term: string;
  readonly outcome: 'found' | 'void' | 'too many' | 'failed';
  readonly reason: string | null;
}

export interface SpfTree {
  readonly root: SpfNode;
  /** There were more references than the limit. */
  readonly isCut: boolean;
}

/** Receivers stop at ten: beyond these numbers there is nothing left to learn. */
const MAX_NODES = 60;
const MAX_PROBES = 60;
const MAX_MX = 10;

/** Fetches a record with everything it refers to. Never throws. Loops and endless chains are cut off. */
export async function fetchSpfTree(dns: DnsResolver, domain: string): Promise<SpfTree> {
  const walk = new SpfWalk(dns);
  const root = await walk.visit({ name: domain, via: 'start', parent: null, depth: 0 }, []);
  return { root, isCut: walk.isCut };
}

const ASKING = new Set(['include', 'a', 'mx', 'ptr', 'exists', 'redirect']);

type Place = Pick<SpfNode, 'name' | 'via' | 'parent' | 'depth'>;

class SpfWalk {
  isCut = false;
  readonly #dns: DnsResolver;
  #nodes = 0;
  #probes = 0;

  constructor(dns: DnsResolver) {
    this.#dns = dns;
  }

  async visit(place: Place, above: readonly string[]): Promise<SpfNode> {
    this.#nodes += 1;
    if (hasMacro(place.name)) return leaf(place, 'macro');
    if (above.includes(place.name)) return leaf(place, 'loop');
    const response = await this.#dns.txt(place.name);
    if (response.kind === 'failed') return { ...leaf(place, 'could_not_check'), reason: response.reason };
    const texts = response.kind === 'found' ? response.values.filter(isSpfRecord) : [];
    const [text] = texts;
    if (text === undefined) return leaf(place, 'missing');
    if (texts.length > 1) return { ...leaf(place, 'several'), text };
    return await this.#follow(place, text, [...above, place.name]);
  }

  async #follow(place: Place, text: string, above: readonly string[]): Promise<SpfNode> {
    const record = readSpfRecord(text);
    const asking = effectiveTerms(record).filter(({ name }) => ASKING.has(name));
    const [children, probes] = await Promise.all([
      Promise.all(this.#placesOf(asking, place).map((child) => this.visit(child, above))),
      Promise.all(this.#probed(asking).map((term) => this.#probe(term, place.name))),
    ]);
    return { ...leaf(place, 'found'), text, record, lookups: asking.length, children, probes };
  }

  /** How many records may still be visited. */
  #placesOf(terms: readonly SpfTerm[], { name: parent, depth }: Place): readonly Place[] {
    const leading = terms.filter(({ name }) => name === 'include' || name === 'redirect');
    const room = Math.max(0, MAX_NODES - this.#nodes);
    if (leading.length > room) this.isCut = true;
    return leading.slice(0, room).map(({ name, domain }) => ({
      name: bareName(domain ?? parent),
      via: name === 'redirect' ? ('redirect' as const) : ('include' as const),
      parent,
      depth: depth + 1,
    }));
  }

  #probed(terms: readonly SpfTerm[]): readonly SpfTerm[] {
    const probed = terms.filter(
      ({ name, domain }) => (name === 'a' || name === 'mx' || name === 'exists') && !hasMacro(domain ?? ''),
    );
    const room = Math.max(0, MAX_PROBES - this.#probes);
    if (probed.length > room) this.isCut = true;
    this.#probes += Math.min(room, probed.length);
    return probed.slice(0, room);
  }

  /** An address lookup is void if neither family has a record: which one is queried depends on the sender. */
  async #probe({ name, domain, text: term }: SpfTerm, own: string): Promise<SpfProbe> {
    const host = bareName(domain ?? own);
    if (name === 'mx') {
      const exchangers = await this.#dns.mx(host);
      const isTooMany = exchangers.kind === 'found' && exchangers.values.length > MAX_MX;
      return isTooMany ? { term, outcome: 'too many', reason: null } : toProbe(term, [exchangers]);
    }
    const four = await this.#dns.a(host);
    if (name === 'exists' || four.kind === 'found') return toProbe(term, [four]);
    return toProbe(term, [four, await this.#dns.aaaa(host)]);
  }
}

function toProbe(term: string, responses: readonly DnsResult<unknown>[]): SpfProbe {
  if (responses.some(({ kind }) => kind === 'found')) return { term, outcome: 'found', reason: null };
  const failed = responses.find((response) => response.kind === 'failed');
  return failed === undefined
    ? { term, outcome: 'void', reason: null }
    : { term, outcome: 'failed', reason: failed.reason };
}

function leaf(place: Place, state: SpfNode['state']): SpfNode {
  return { ...place, state, text: null, record: null, lookups: 0, probes: [], children: [], reason: null };
}

function bareName(name: string): string {
  return name.replace(/\.$/, '').toLowerCase();
}
