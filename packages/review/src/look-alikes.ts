import type { Remark } from './finding.ts';
import { firstLabel, ORDINARY_WORDS, registeredPart, WELL_KNOWN } from './known-hosts.ts';
import { formsWithoutOne, isOneEdit } from './one-edit.ts';
import { toUnicodeHost } from './punycode.ts';
import { skeletonOf } from './skeleton.ts';

/** The hosts that another host could imitate. */
export interface KnownHosts {
  readonly sender: string | null;
  readonly recipients: Iterable<string>;
  /** Named in the text of the message. */
  readonly named: Iterable<string>;
}

/** What a host imitates, in words; null if nothing. */
export type LookAlikeFinder = (host: string) => Remark | null;

interface Known {
  /** The registered part. */
  readonly name: string;
  readonly why: 'sender' | 'recipient' | 'named' | 'well-known';
}

/** Of the recipients and of the hosts in the text. */
const KNOWN_MAX = 300;
/** Longer names are not compared by single characters. */
const COMPARED_CHARACTERS = 64;

/** Compares hosts with the known ones by an index, so that each comparison takes a time that depends on the host only. */
export function findLookAlikes({ sender, recipients, named }: KnownHosts): LookAlikeFinder {
  const known = new Map<string, Known>();
  const add = (host: string, why: Known['why']) => {
    const name = registeredPart(toUnicodeHost(host));
    if (!known.has(name) && known.size < KNOWN_MAX && name.includes('.')) known.set(name, { name, why });
  };
  if (sender !== null) add(sender, 'sender');
  for (const host of WELL_KNOWN) add(host, 'well-known');
  for (const host of recipients) add(host, 'recipient');
  for (const host of named) add(host, 'named');
  const index = indexOf(known.values());
  const found = new Map<string, Remark | null>();
  return (host) => {
    const before = found.get(host);
    if (before !== undefined) return before;
    const remark = compare(toUnicodeHost(host), known, index);
    found.set(host, remark);
    return remark;
  };
}

interface Index {
  readonly skeletons: ReadonlyMap<string, readonly Known[]>;
  readonly forms: ReadonlyMap<string, readonly Known[]>;
  /** By the skeleton of the first label, only names that stand for one company. */
  readonly brands: ReadonlyMap<string, Known>;
}

function indexOf(known: Iterable<Known>): Index {
  const [skeletons, forms] = [new Map<string, Known[]>(), new Map<string, Known[]>()];
  const brands = new Map<string, Known>();
  const put = (map: Map<string, Known[]>, key: string, one: Known) => map.set(key, [...(map.get(key) ?? []), one]);
  for (const one of known) {
    const label = firstLabel(one.name);
    put(skeletons, skeletonOf(one.name), one);
    const isLong = label.length >= (one.why === 'sender' ? 4 : 5);
    if (isLong && one.name.length <= COMPARED_CHARACTERS) {
      for (const form of new Set(formsWithoutOne(one.name))) put(forms, form, one);
    }
    const isBrand = (one.why === 'sender' || one.why === 'well-known') && label.length >= 4;
    const skeleton = skeletonOf(label);
    if (isBrand && !ORDINARY_WORDS.has(label) && !brands.has(skeleton)) brands.set(skeleton, one);
  }
  return { skeletons, forms, brands };
}

function compare(host: string, known: ReadonlyMap<string, Known>, index: Index): Remark | null {
  const name = registeredPart(host);
  const own = known.get(name);
  const leading = findLeading(host, known);
  if (leading !== null) {
    return danger(`${host} begins with ${describe(leading)}, but belongs to ${name}.`);
  }
  if (own?.why === 'sender' || own?.why === 'well-known') return null;
  // Both are in the message, and neither is more genuine than the other.
  const isRival = (one: Known) => one.name !== name && (own === undefined || !['recipient', 'named'].includes(one.why));
  const same = index.skeletons.get(skeletonOf(name))?.find(isRival);
  if (same !== undefined) return danger(`${host} looks like ${describe(same)}, but is another host.`);
  const near = name.length > COMPARED_CHARACTERS ? undefined : findNear(name, index).find(isRival);
  if (near !== undefined) return warn(`${host} differs from ${describe(near)} by one character only.`);
  const brand = findBrand(name, index);
  if (brand === null || !isRival(brand)) return null;
  if (firstLabel(name) !== firstLabel(brand.name))
    return warn(`${host} contains the name of ${describe(brand)}, but is another host.`);
  // Companies own their name under several endings, the large ones under many.
  if (brand.why !== 'sender') return null;
  return {
    kind: 'look-alike',
    level: 'note',
    message: `${host} has the name of ${describe(brand)}, with another ending.`,
  };
}

function findNear(name: string, { forms }: Index): readonly Known[] {
  const near = new Set<Known>();
  for (const form of formsWithoutOne(name)) {
    for (const one of forms.get(form) ?? NONE)
      if (isOneEdit(name, one.name) && !isCounted(name, one.name)) near.add(one);
  }
  return [...near];
}

const NONE: readonly Known[] = [];

/** Names that differ by a number, as `mx1` and `mx2` do, or by the country of the ending. */
function isCounted(one: string, other: string): boolean {
  if (one.replaceAll(/\d/g, '0') === other.replaceAll(/\d/g, '0')) return true;
  const endings = [one, other].map((name) => name.split('.').at(-1) ?? '');
  return firstLabel(one) === firstLabel(other) && endings.every((ending) => ending.length === 2);
}

/** The sender's or a well-known domain as the left part of another one, also with hyphens: `acme.example.evil.test`, `acme-example.evil.test`. */
function findLeading(host: string, known: ReadonlyMap<string, Known>): Known | null {
  const labels = host.split(/[.-]/).slice(0, 40);
  for (let at = 0; at < labels.length; at += 1) {
    for (const length of [3, 2]) {
      const one = known.get(labels.slice(at, at + length).join('.'));
      const isLast = one !== undefined && (host === one.name || host.endsWith(`.${one.name}`));
      if (one !== undefined && !isLast && (one.why === 'sender' || one.why === 'well-known')) return one;
    }
  }
  return null;
}

/** A name in the first label, between hyphens: `acme-pay`, `secure-paypa1`. */
function findBrand(name: string, { brands }: Index): Known | null {
  for (const word of firstLabel(name).split('-').slice(0, 30)) {
    const brand = brands.get(skeletonOf(word));
    if (brand !== undefined) return brand;
  }
  return null;
}

function describe({ name, why }: Known): string {
  if (why === 'sender') return `the sender’s domain ${name}`;
  if (why === 'recipient') return `a recipient’s domain ${name}`;
  return why === 'named' ? `${name}, which the message names` : name;
}

function danger(message: string): Remark {
  return { kind: 'look-alike', level: 'danger', message };
}

function warn(message: string): Remark {
  return { kind: 'look-alike', level: 'warn', message };
}
