import type { FoundLink } from './judge-link.ts';

/** The web addresses in a plain text, each once. The text of such a link is its target. */
export function readTextLinks(text: string): readonly FoundLink[] {
  const found = text.match(/https?:\/\/[^\s<>"']+/gi) ?? [];
  const targets = new Set(found.map(withoutEnd));
  return [...targets].map((target) => ({ kind: 'link', target, text: target, visible: target }));
}

/** Without punctuation that ends a sentence or brackets around the link. */
function withoutEnd(address: string): string {
  let end = address.length;
  while ('.,;:!?)]}'.includes(address[end - 1] ?? ' ')) end -= 1;
  return address.slice(0, end);
}
