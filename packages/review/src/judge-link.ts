import type { Remark } from './finding.ts';
import { bareHost, hostsNamedIn, isWithin, type NamedHost, type Place, placeOf } from './hosts.ts';
import { findInvisible } from './invisible-characters.ts';
import type { LookAlikeFinder } from './look-alikes.ts';
import { toUnicodeHost } from './punycode.ts';
import { isAscii, mixesAlphabets, skeletonOf } from './skeleton.ts';

/** A link as found in a body. */
export interface FoundLink {
  /** A link, the target of a form, or a resource that the message loads. */
  readonly kind: 'link' | 'form' | 'image';
  readonly target: string;
  /** The text of the link. */
  readonly text: string;
  /** The part of the text that is not hidden. */
  readonly visible: string;
}

export interface LinkVerdict {
  /** The full target, with the host as in DNS. */
  readonly target: string;
  readonly host: string | null;
  readonly remarks: readonly Remark[];
}

export function judgeLink({ kind, target, text, visible }: FoundLink, lookAlikeOf: LookAlikeFinder): LinkVerdict {
  const place = placeOf(target);
  const written = kind === 'link' ? [judgeText(text), text === '' ? NO_TEXT : null] : [];
  const led = place === null ? [judgePartialTarget(target)] : judgePlace(target, place, lookAlikeOf);
  const claims = place === null ? [] : [findClaim(visible, place) ?? findClaim(text, place)];
  const remarks = [...claims, ...led, ...written].filter((remark) => remark !== null);
  return { target: place?.url.href ?? target, host: place?.host ?? null, remarks };
}

const NO_TEXT: Remark = {
  kind: 'no-text',
  level: 'warn',
  message: 'The link has no text, so recipients may not see it.',
};

function judgeText(text: string): Remark | null {
  return findInvisible(text);
}

/** Relative targets lead nowhere in mail, or where the reader's program decides. A place in the message is ordinary. */
function judgePartialTarget(target: string): Remark | null {
  if (target === '' || target.startsWith('#')) return null;
  return {
    kind: 'not-web',
    level: 'warn',
    message: 'It is not a full address, so where it leads depends on the mail program.',
  };
}

const RUNNING = new Set(['javascript:', 'vbscript:', 'data:', 'file:', 'blob:']);
const ORDINARY = new Set(['mailto:', 'tel:', 'sms:']);

function judgePlace(
  target: string,
  { url, host, scheme }: Place,
  lookAlikeOf: LookAlikeFinder,
): readonly (Remark | null)[] {
  if (RUNNING.has(scheme)) {
    return [
      {
        kind: 'not-web',
        level: 'danger',
        message: `It does not lead to a website: ${scheme} opens a program or a file.`,
      },
    ];
  }
  if (scheme !== 'http:' && scheme !== 'https:' && !ORDINARY.has(scheme)) {
    return [
      { kind: 'not-web', level: 'warn', message: `It does not lead to a website: ${scheme} opens another program.` },
    ];
  }
  if (host === null) return [];
  return [judgeUser(url, host), judgeAddress(host), judgeLetters(host), lookAlikeOf(host), judgeTarget(target)];
}

/** `https://bank.example@evil.example/` leads to evil.example. */
function judgeUser(url: URL, host: string): Remark | null {
  const { protocol, username, password } = url;
  if (protocol === 'mailto:' || (username === '' && password === '')) return null;
  return { kind: 'look-alike', level: 'danger', message: `It leads to ${host}: the part before @ is a user name.` };
}

function judgeAddress(host: string): Remark | null {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) && !host.startsWith('[')) return null;
  return { kind: 'look-alike', level: 'warn', message: `It leads to the IP address ${host}, and not to a name.` };
}

function judgeLetters(host: string): Remark | null {
  const unicode = toUnicodeHost(host);
  if (unicode === host) return null;
  const kind = 'foreign-letters';
  const labels = unicode.split('.');
  if (labels.some(mixesAlphabets)) {
    return {
      kind,
      level: 'danger',
      message: `The host ${host} mixes the letters of several alphabets: it reads ${unicode}.`,
    };
  }
  if (labels.some((label) => !isAscii(label) && !/\p{Script=Latin}/u.test(label) && isAscii(skeletonOf(label)))) {
    return {
      kind,
      level: 'danger',
      message: `The host ${host} reads ${unicode}, in letters of another alphabet that look like Latin ones.`,
    };
  }
  return { kind, level: 'note', message: `The host ${host} has letters beyond a to z: it reads ${unicode}.` };
}

/** Browsers drop invisible characters of a host, so a reader of the source sees another one. */
function judgeTarget(target: string): Remark | null {
  return findInvisible(target.slice(0, 500));
}

/** A host that the text names and that the link does not lead to. The text `acme.example` is honest for hosts below acme.example. */
function findClaim(text: string, { host }: Place): Remark | null {
  if (host === null) return null;
  let first: NamedHost | null = null;
  let other: NamedHost | null = null;
  for (const claim of hostsNamedIn(text)) {
    first ??= claim;
    if (!isWithin(host, bareHost(claim.host))) other ??= claim;
  }
  if (other === null) return null;
  const message = `The text names ${other.named}, but the link leads to ${host}.`;
  // A text that names the right host first, or one below it, is more often careless than deceptive.
  const isClose = other !== first || (isWithin(other.host, host) && host.includes('.'));
  return { kind: 'text-differs', level: isClose ? 'warn' : 'danger', message };
}
