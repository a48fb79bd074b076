import { urlOf } from './web-link.ts';

/** Links that must not be changed, because they unsubscribe their reader. */
export interface ProtectedLinks {
  has(url: string): boolean;
}

/**
 * The URLs of a message's List-Unsubscribe header (RFC 2369: in angle brackets, separated by commas), and the `marked`
 * ones. Two that browsers read as equal are the same link.
 */
export function readProtectedLinks(
  headers: Readonly<Record<string, string>>,
  marked: readonly string[] = [],
): ProtectedLinks {
  const given = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === 'list-unsubscribe')
    .flatMap(([, value]) => [...value.matchAll(/<([^<>]*)>/g)].map(([, url = '']) => url.replace(/\s+/g, '')));
  if (given.length === 0 && marked.length === 0) return NONE;
  const known = new Set([...given, ...marked].flatMap((url) => [urlOf(url), normalize(url)]));
  return { has: (url) => known.has(url) || known.has(normalize(url)) };
}

const NONE: ProtectedLinks = { has: () => false };

function normalize(url: string): string {
  return URL.parse(url)?.href ?? url;
}
