import { isIPv4, isIPv6 } from 'node:net';

/** One mechanism or modifier of an SPF record. */
export interface SpfTerm {
  readonly text: string;
  /** In lowercase: a mechanism, `redirect`, `exp` or an unknown modifier. */
  readonly name: string;
  readonly isModifier: boolean;
  readonly qualifier: '+' | '-' | '~' | '?';
  /** The domain in the term; null means the record's own. */
  readonly domain: string | null;
  /** For `ip4` and `ip6`: the prefix length. */
  readonly prefix: number | null;
}

export interface SpfRecord {
  readonly terms: readonly SpfTerm[];
  /** Terms that cannot be parsed: one makes the whole record an error. */
  readonly faults: readonly { readonly term: string; readonly reason: string }[];
}

/** RFC 7208 §4.5: the version alone decides whether it is an SPF record. */
export function isSpfRecord(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text);
}

/** Parses a record with the grammar of RFC 7208 §12. */
export function readSpfRecord(text: string): SpfRecord {
  const terms: SpfTerm[] = [];
  const faults: { term: string; reason: string }[] = [];
  const seen = new Set<string>();
  for (const part of text.slice('v=spf1'.length).split(' ')) {
    if (part === '') continue;
    const term = readTerm(part);
    if (typeof term === 'string') faults.push({ term: part.slice(0, 100), reason: term });
    else if (ONCE.has(term.name) && seen.has(term.name)) {
      faults.push({ term: part.slice(0, 100), reason: 'is repeated' });
    } else {
      seen.add(term.name);
      terms.push(term);
    }
  }
  return { terms, faults };
}

/** The terms that receivers evaluate: terms after `all` are ignored, and so is `redirect` then (RFC 7208 §5.1, §6.1). */
export function effectiveTerms({ terms }: SpfRecord): readonly SpfTerm[] {
  const all = terms.findIndex(({ name, isModifier }) => name === 'all' && !isModifier);
  if (all === -1) return terms;
  return terms.filter(({ isModifier, name }, at) => (isModifier ? name !== 'redirect' : at <= all));
}

/** RFC 7208 §6. */
const ONCE = new Set(['redirect', 'exp']);

/** Whether the name contains macros, which depend on the message. */
export function hasMacro(domain: string): boolean {
  return domain.includes('%');
}

const MODIFIER = /^([a-z][a-z0-9_.-]*)=(.*)$/i;
const MECHANISM = /^([+?~-]?)([a-z0-9]+)([:/].*)?$/i;

/** A domain name has at most 253 characters; macros may be longer than their values. */
const TERM_CHARACTERS = 500;

/** The term, or why it cannot be parsed. */
function readTerm(text: string): SpfTerm | string {
  if (text.length > TERM_CHARACTERS) return 'is longer than a name may be';
  const [, modifier, value = ''] = MODIFIER.exec(text) ?? [];
  if (modifier !== undefined) return readModifier(text, modifier.toLowerCase(), value);
  const [, sign = '', given = '', rest = ''] = MECHANISM.exec(text) ?? [];
  const name = given.toLowerCase();
  const read = Object.hasOwn(MECHANISMS, name) ? MECHANISMS[name] : undefined;
  if (read === undefined) return 'is not an SPF mechanism';
  const parts = read(rest);
  if (typeof parts === 'string') return parts;
  // The expression above allows no other character.
  const qualifier = (sign === '' ? '+' : sign) as SpfTerm['qualifier'];
  return { text, name, isModifier: false, qualifier, domain: null, prefix: null, ...parts };
}

function readModifier(text: string, name: string, value: string): SpfTerm | string {
  const fault =
    name === 'redirect' || name === 'exp' ? faultOfDomain(value, name === 'exp') : faultOfMacros(value, true);
  return fault ?? { text, name, isModifier: true, qualifier: '+', domain: value, prefix: null };
}

type Parts = { readonly domain?: string; readonly prefix?: number };

const MECHANISMS: Readonly<Record<string, (rest: string) => Parts | string>> = {
  all: (rest) => (rest === '' ? {} : 'must not have a value'),
  include: readNamed,
  exists: readNamed,
  ptr: (rest) => (rest === '' ? {} : readNamed(rest)),
  a: readHost,
  mx: readHost,
  ip4: (rest) => readNetwork(rest, isIPv4, 32),
  ip6: (rest) => readNetwork(rest, (address) => isIPv6(address) && !address.includes('%'), 128),
};

function readNamed(rest: string): Parts | string {
  if (!rest.startsWith(':')) return 'has no domain';
  const domain = rest.slice(1);
  return faultOfDomain(domain) ?? { domain };
}

const DUAL_PREFIX = /^(.*?)(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/s;

function readHost(rest: string): Parts | string {
  const [, name = '', four = '32', six = '128'] = DUAL_PREFIX.exec(rest) ?? [];
  if (Number(four) > 32 || Number(six) > 128) return 'has a prefix length that is too large';
  if (name === '') return {};
  if (!name.startsWith(':')) return 'has a prefix length that cannot be parsed';
  return readNamed(name);
}

function readNetwork(rest: string, isAddress: (text: string) => boolean, maxPrefix: number): Parts | string {
  const [, address = '', length = String(maxPrefix)] = /^:([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/.exec(rest) ?? [];
  if (!isAddress(address)) return 'has no valid address';
  return Number(length) > maxPrefix ? 'has a prefix length that is too large' : { prefix: Number(length) };
}

const MACRO_STRING = /^(?:%\{[slodiphv]\d*r?[.\-+,/_=]*\}|%%|%_|%-|[!-$&-~])*$/i;
/** `c`, `r` and `t` are only allowed in explanations (RFC 7208 §7.2). */
const EXPLANATION = /^(?:%\{[slodiphcrtv]\d*r?[.\-+,/_=]*\}|%%|%_|%-|[!-$&-~])*$/i;
/** RFC 7208 §7.1 `domain-end`: a non-numeric top-level domain, or a macro. */
function hasDomainEnd(domain: string): boolean {
  if (domain.endsWith('}')) return /^%\{[^}]+\}$/.test(domain.slice(Math.max(0, domain.lastIndexOf('%{'))));
  const name = domain.endsWith('.') ? domain.slice(0, -1) : domain;
  return name.includes('.') && TOP_LEVEL.test(name.slice(name.lastIndexOf('.') + 1));
}

const TOP_LEVEL = /^(?!\d+$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

function faultOfMacros(text: string, isExplanation: boolean): string | null {
  return (isExplanation ? EXPLANATION : MACRO_STRING).test(text)
    ? null
    : 'contains a macro or a character that is not valid';
}

function faultOfDomain(domain: string, isExplanation = false): string | null {
  if (!hasDomainEnd(domain)) return 'has no valid domain';
  return faultOfMacros(domain, isExplanation);
}
