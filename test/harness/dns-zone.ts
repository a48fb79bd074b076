import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Answer } from 'dns-packet';
import { reverseName } from '../../packages/server/src/dns/dns-name.ts';

export type TestRecordType = 'A' | 'AAAA' | 'MX' | 'TXT' | 'CNAME' | 'PTR' | 'NS' | 'SOA';

type Values = readonly (string | readonly string[])[];

interface RecordSet {
  readonly values: Values;
  readonly ttl: number;
  readonly follow: boolean;
}

export interface TestZone {
  /** The canonical form of a name: A-labels in lower case without a final dot; for a PTR, the reverse name of an address. */
  nameOf(name: string, type?: TestRecordType): string;
  set(
    name: string,
    type: TestRecordType,
    values: Values | string,
    options: { readonly ttl?: number; readonly follow?: boolean },
  ): void;
  remove(name: string, type?: TestRecordType): void;
  lookUp(
    name: string,
    type: string,
  ): { readonly answers: Answer[]; readonly authorities: Answer[]; readonly rcode: number };
  /** Follows a chain of CNAMEs and returns its names. */
  targetsOf(name: string, type: string): readonly string[];
}

const NXDOMAIN = 3;
const TXT_STRING_BYTES = 255;

/** The records of the test server, with wildcards as in RFC 4592. */
export function createTestZone(): TestZone {
  const names = new Map<string, Map<string, RecordSet>>();

  /** Wildcards do not apply to a name that exists, even as an empty non-terminal (a longer name exists). */
  const exists = (name: string) => names.has(name) || [...names.keys()].some((known) => known.endsWith(`.${name}`));
  const find = (name: string): ReadonlyMap<string, RecordSet> | null => {
    if (exists(name)) return names.get(name) ?? new Map();
    for (let rest = parentOf(name); rest !== null; rest = parentOf(rest)) {
      const wildcard = names.get(rest === '' ? '*' : `*.${rest}`);
      if (wildcard !== undefined) return wildcard;
      if (rest !== '' && exists(rest)) return null;
    }
    return null;
  };

  const chainOf = (name: string, type: string) => {
    const hops: { readonly name: string; readonly target: string; readonly ttl: number }[] = [];
    let at = name;
    for (;;) {
      const alias = type === 'CNAME' ? undefined : find(at)?.get('CNAME');
      const [target] = alias?.values ?? [];
      if (alias === undefined || typeof target !== 'string' || hops.some((hop) => hop.name === at)) break;
      hops.push({ name: at, target: normalize(target), ttl: alias.ttl });
      if (!alias.follow) break;
      at = normalize(target);
    }
    return hops;
  };

  function lookUp(name: string, type: string) {
    const hops = chainOf(name, type);
    const answers: Answer[] = hops.map((hop) => ({ type: 'CNAME', name: hop.name, ttl: hop.ttl, data: hop.target }));
    const last = hops.at(-1)?.target ?? name;
    const isFollowed = hops.every((hop) => find(hop.name)?.get('CNAME')?.follow === true);
    if (!isFollowed || hops.some((hop) => hop.name === last)) return { answers, authorities: [], rcode: 0 };
    const known = find(last);
    const records = known?.get(type);
    answers.push(...(records?.values ?? []).map((value) => makeRecord(last, type, value, records?.ttl ?? 0)));
    const authorities = records === undefined ? soaOf(last) : [];
    return { answers, authorities, rcode: known === null ? NXDOMAIN : 0 };
  }

  /** The SOA of the closest zone above a name, which makes a negative response cacheable (RFC 2308 §3). */
  function soaOf(name: string): Answer[] {
    for (let at: string | null = name; at !== null; at = parentOf(at)) {
      const soa = names.get(at)?.get('SOA');
      const [value] = soa?.values ?? [];
      if (soa !== undefined && value !== undefined) return [makeRecord(at, 'SOA', value, soa.ttl)];
    }
    return [];
  }

  const nameOf = (name: string, type?: TestRecordType) =>
    type === 'PTR' && isIP(name) > 0 ? (reverseName(name) ?? name) : normalize(name);

  return {
    nameOf,
    set(name, type, values, { ttl = 0, follow = true }) {
      const at = nameOf(name, type);
      const sets = names.get(at) ?? new Map<string, RecordSet>();
      sets.set(type, { values: typeof values === 'string' ? [values] : values, ttl, follow });
      names.set(at, sets);
    },
    remove(name, type) {
      const at = nameOf(name, type);
      const sets = names.get(at);
      if (type === undefined) sets?.clear();
      else sets?.delete(type);
      if (sets?.size === 0) names.delete(at);
    },
    lookUp,
    targetsOf: (name, type) => chainOf(name, type).map(({ target }) => target),
  };
}

function normalize(name: string): string {
  const bare = name.replace(/\.$/, '').toLowerCase();
  return /[^\0-\x7f]/.test(bare) ? domainToASCII(bare) : bare;
}

function parentOf(name: string): string | null {
  if (name === '') return null;
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}

function makeRecord(name: string, type: string, value: string | readonly string[], ttl: number): Answer {
  const text = typeof value === 'string' ? value : value.join('');
  if (type === 'TXT') return { type, name, ttl, data: typeof value === 'string' ? splitText(value) : [...value] };
  if (type === 'MX') {
    const [preference, exchange = '.'] = text.split(' ');
    return { type, name, ttl, data: { preference: Number(preference), exchange } };
  }
  if (type === 'SOA') {
    const [mname = '', rname = '', ...numbers] = text.split(' ');
    const [serial = 1, refresh = 3600, retry = 600, expire = 86_400, minimum = 60] = numbers.map(Number);
    return { type, name, ttl, data: { mname, rname, serial, refresh, retry, expire, minimum } };
  }
  if (type === 'A' || type === 'AAAA' || type === 'CNAME' || type === 'PTR' || type === 'NS') {
    return { type, name, ttl, data: text };
  }
  throw new Error(`the test zone knows no ${type}`);
}

/** RFC 1035 §3.3: a string of a TXT record has at most 255 bytes. */
function splitText(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return [bytes];
  const count = Math.ceil(bytes.length / TXT_STRING_BYTES);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * TXT_STRING_BYTES, (index + 1) * TXT_STRING_BYTES),
  );
}
