import { isIP } from 'node:net';
import { type Clock, systemClock } from '../clock.ts';
import type { DnsQuestion, DnsType } from './dns-message.ts';
import { reverseName, toDnsName } from './dns-name.ts';
import type { DnsResolver, DnsResult } from './dns-resolver.ts';
import { readDnsServers } from './dns-servers.ts';
import { type DnsRecords, type DnsStep, MAX_ALIASES } from './read-step.ts';
import { createRounds } from './server-rounds.ts';
import { createStepCache } from './step-cache.ts';

export interface DnsResolverOptions {
  /** `address` or `address:port`; null uses the system's servers. */
  readonly servers: readonly string[] | null;
  readonly clock?: Clock;
  /** For one attempt with one server. */
  readonly timeoutMs?: number;
  /** How often to query each server that does not respond. */
  readonly tries?: number;
  /** How many responses to cache. */
  readonly maxCached?: number;
}

const TRY_TIMEOUT_MS = 2_000;
const TRIES = 2;
const MAX_CACHED = 10_000;
const LOOPBACK: Partial<Record<DnsType, string>> = { A: '127.0.0.1', AAAA: '::1' };

type Ask = (question: DnsQuestion) => Promise<DnsStep>;

/**
 * Resolves names by sending queries to recursive servers over UDP and TCP. `dns.lookup` would block one of four threads: a few names with
 * unresponsive servers would delay everything else in the thread pool, such as signing. Responses are cached for their TTL, at most one
 * day, and identical concurrent queries share one.
 */
export function createDnsResolver(options: DnsResolverOptions): DnsResolver {
  const { clock = systemClock, timeoutMs = TRY_TIMEOUT_MS, tries = TRIES, maxCached = MAX_CACHED } = options;
  const nowMs = () => clock.now().getTime();
  const askServers = createRounds({ servers: readDnsServers(options.servers), timeoutMs, tries, nowMs });
  const cache = createStepCache({ maxEntries: maxCached });
  let asked = 0;

  /** Single queries are shared, but never chains: two names that are CNAMEs of each other would wait for each other forever. */
  function createAsk(remember: boolean): Ask {
    const underWay = new Map<string, Promise<DnsStep>>();
    return (question) => {
      if (isLoopbackName(question.name)) return Promise.resolve(loopbackStep(question.type));
      const key = `${question.type} ${question.name}`;
      const known = remember ? cache.get(key, nowMs()) : null;
      if (known !== null) return Promise.resolve(known);
      const shared = underWay.get(key);
      if (shared !== undefined) return shared;
      asked += 1;
      const order = asked;
      const response = askServers(question).then((step) => {
        cache.put(key, step, nowMs(), order);
        underWay.delete(key);
        return step;
      });
      underWay.set(key, response);
      return response;
    };
  }

  const createView = (remember: boolean): DnsResolver => makeResolver(createAsk(remember), () => createView(false));
  return createView(true);
}

function makeResolver(ask: Ask, fresh: () => DnsResolver): DnsResolver {
  const texts = (name: string, type: DnsType) => resolve(ask, name, type, (records) => records.texts);
  return {
    txt: (name) => texts(name, 'TXT'),
    mx: (name) => resolve(ask, name, 'MX', (records) => records.mx),
    a: (name) => texts(name, 'A'),
    aaaa: (name) => texts(name, 'AAAA'),
    ptr: (address) => texts(reverseName(address) ?? '', 'PTR'),
    cname: (name) => texts(name, 'CNAME'),
    ns: (name) => texts(name, 'NS'),
    fresh,
    only: (isAllowed) => makeResolver(askOnly(ask, isAllowed), () => fresh().only(isAllowed)),
  };
}

const NO_NAME: DnsStep = { kind: 'no-name', ttl: 0, aliases: [] };

function askOnly(ask: Ask, isAllowed: (name: string) => boolean): Ask {
  return async (question) => {
    const isReverse = question.type === 'PTR';
    if (!isReverse && !isAllowed(question.name)) return NO_NAME;
    const step = await ask(question);
    if (step.kind === 'failed') return step;
    // RFC 2317: the owner of a small address block delegates its names below the same reverse zone.
    const zone = question.name.slice(question.name.indexOf('.'));
    const isWithin = (alias: string) => isAllowed(alias) || (isReverse && alias.endsWith(zone));
    return step.aliases.every(isWithin) ? step : NO_NAME;
  };
}

/** Follows CNAMEs across responses. */
async function resolve<Value>(
  ask: Ask,
  name: string,
  type: DnsType,
  pick: (records: DnsRecords) => readonly Value[],
): Promise<DnsResult<Value>> {
  let next = toDnsName(name);
  // An address is not a name: no query is sent for a domain of four numbers.
  if (next === null || isIP(next) > 0) return { kind: 'no-name' };
  const passed = [next];
  for (;;) {
    const step = await ask({ name: next, type });
    if (step.kind === 'failed') return step;
    for (const alias of step.aliases) {
      passed.push(alias);
      if (passed.indexOf(alias) < passed.length - 1)
        return { kind: 'failed', reason: `a loop of CNAMEs: ${passed.join(' → ')}` };
    }
    if (passed.length > 1 + MAX_ALIASES)
      return { kind: 'failed', reason: `more than ${MAX_ALIASES} CNAMEs in a row, from ${name}` };
    if (step.kind === 'found') return { kind: 'found', values: pick(step.records) };
    if (step.kind !== 'alias') return { kind: step.kind };
    next = toDnsName(passed.at(-1) ?? '');
    if (next === null) return { kind: 'failed', reason: `a CNAME to an invalid name: ${passed.at(-1)}` };
  }
}

/** RFC 6761 §6.3: these names are the local machine, so no server is queried. */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

function loopbackStep(type: DnsType): DnsStep {
  const address = LOOPBACK[type];
  if (address === undefined) return { kind: 'no-record', ttl: 0, aliases: [] };
  return { kind: 'found', records: { texts: [address], mx: [] }, ttl: 0, aliases: [] };
}
