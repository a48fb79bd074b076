import { textHosts } from './text-hosts.ts';
import type { Host } from './url-host.ts';

/** Where a text that continues a link starts, and where one that is continued ends. A full stop also ends a sentence. */
const CONTINUES = /^[.\u3002\uff0e\uff61:/\\@]/u;
const CONTINUED_CHARACTERS = ':/\\@';
/** Longer texts are not ordinary words, and every host in them counts. */
const WORD_CHARACTERS = 1_000;

/**
 * The hosts that appear if the tags between texts are removed without a replacement: `evil<p></p>.com`. Only texts that
 * are clearly parts of a link are joined, because cells such as `Total` and `example.com` are often next to each other.
 * Linear in the length.
 */
export function joinedHosts(texts: readonly string[]): readonly Host[] {
  const hosts: Host[] = [];
  let parts: string[] = [];
  const endWord = () => {
    if (parts.length > 1) for (const host of hostsOfParts(parts)) hosts.push(host);
    parts = [];
  };
  for (const text of texts) {
    if (text === '') continue;
    const blank = text.search(/\s/);
    const first = blank === -1 ? text : text.slice(0, blank);
    if (first === '' || !(CONTINUES.test(first) || isContinued(parts.at(-1) ?? ''))) endWord();
    if (first !== '') parts.push(first);
    if (blank === -1) continue;
    endWord();
    const last = lastWord(text);
    if (last !== '') parts.push(last);
  }
  endWord();
  return hosts;
}

function isContinued(part: string): boolean {
  return part !== '' && CONTINUED_CHARACTERS.includes(part.slice(-1));
}

function lastWord(text: string): string {
  let start = text.length;
  while (start > 0 && !/\s/.test(text[start - 1] ?? '')) start -= 1;
  return text.slice(start);
}

/** A host that ends like one of the parts is that part with a word before it. */
function hostsOfParts(parts: readonly string[]): readonly Host[] {
  const word = parts.join('');
  // A label such as `SMS:` before a number is not a link.
  const found = textHosts(word).filter((host) => host !== null);
  if (word.length > WORD_CHARACTERS) return found;
  const apart = textHosts(parts.join(' ')).filter((host) => host !== null);
  return found.filter((host) => !apart.some((known) => host.endsWith(known)));
}
