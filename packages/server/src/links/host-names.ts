import { toAsciiDomain } from '@postrider/core/email-address';
import { parse as parseName } from 'tldts';

/** RFC 1035, section 2.3.4, in text form. */
const NAME_CHARACTERS = 253;
const LABEL_CHARACTERS = 63;
/** Names that mail programs link regardless of their top-level domain. */
const SERVICE_LABELS = new Set(['www', 'ftp']);
/** The full stop, and the characters that IDNA treats as one (UTS #46): `evil。com`. */
const DOT = /[.\u3002\uff0e\uff61]/u;

/** A host that mail programs turn into a link by themselves. */
export interface BareHost {
  readonly host: string;
  /** Whether it starts with `www.` or `ftp.`. */
  readonly isService: boolean;
}

/**
 * The hosts in a piece of text without spaces, slashes and `@`. A name counts if one of its labels is a top-level
 * domain, whatever follows: some programs link `evil.com` in `evil.com.Please`. Dotted IPv4 addresses count too.
 */
export function* bareHosts(piece: string): Generator<BareHost> {
  let run: string[] = [];
  for (const label of trimmed(piece.toLowerCase()).split(DOT)) {
    if (label !== '' && label.length <= LABEL_CHARACTERS) {
      run.push(label);
      continue;
    }
    yield* hostsOfLabels(run);
    run = [];
  }
  yield* hostsOfLabels(run);
}

function* hostsOfLabels(labels: readonly string[]): Generator<BareHost> {
  if (labels.length < 2) return;
  const isService = SERVICE_LABELS.has(labels[0] ?? '');
  if (labels.length >= 4 && labels.slice(0, 4).every(isOctet)) {
    yield { host: labels.slice(0, 4).join('.'), isService: false };
  }
  const last = lastTopLevel(labels);
  if (last === null && !isService) return;
  if (last !== null) yield { host: hostOf([...labels.slice(0, last.at), last.domain]), isService };
  // Programs with a newer list of top-level domains, or without one, link all of it.
  if (last?.at !== labels.length - 1) yield { host: hostOf(labels), isService };
}

/** The last label after the first one that is a top-level domain, or starts with one: some programs link `evil.com` in `evil.com-pay`. */
function lastTopLevel(labels: readonly string[]): { readonly at: number; readonly domain: string } | null {
  for (let at = labels.length - 1; at > 0; at -= 1) {
    const label = labels[at] ?? '';
    if (isTopLevel(label)) return { at, domain: label };
    const start = label.slice(0, Math.max(0, label.search(/[-_]/)));
    if (isTopLevel(start)) return { at, domain: start };
  }
  return null;
}

const ASCII_LABEL = /^(?:[a-z]{2,}|xn--[a-z0-9-]+)$/;

function isTopLevel(label: string): boolean {
  const isForeign = label.length > 1 && label.charCodeAt(label.length - 1) > 0x7f;
  if (!isForeign && !ASCII_LABEL.test(label)) return false;
  return parseName(`a.${isForeign ? label.normalize('NFKC') : label}`).isIcann === true;
}

function isOctet(label: string): boolean {
  return /^\d{1,3}$/.test(label) && Number(label) <= 255;
}

/** The last labels that fit into a name. Text that is not a valid DNS name, for example with underscores, can still be clicked. */
function hostOf(labels: readonly string[]): string {
  let from = labels.length;
  for (let length = -1; from > 0; from -= 1) {
    length += 1 + (labels[from - 1] ?? '').length;
    if (length > NAME_CHARACTERS) break;
  }
  const name = labels.slice(from).join('.');
  return toAsciiDomain(name) ?? URL.parse(`http://${name}/`)?.hostname ?? name;
}

/** Without surrounding dots, hyphens and underscores. */
export function trimmed(piece: string): string {
  let start = 0;
  let end = piece.length;
  while (start < end && '.-_'.includes(piece[start] ?? '')) start += 1;
  while (end > start && '.-_'.includes(piece[end - 1] ?? '')) end -= 1;
  return piece.slice(start, end);
}
