import type { HtmlLink } from './read-html.ts';

export interface JudgedLink {
  /** The full target with the host name as in DNS: an internationalized host is shown as `xn--…`. */
  readonly target: string;
  readonly shown: string;
  readonly kind: HtmlLink['kind'];
  /** Short warnings for the approver; empty if the link shows its real target. */
  readonly warnings: readonly string[];
}

export function judgeLink({ kind, target, shown }: HtmlLink): JudgedLink {
  const url = URL.parse(target);
  return { kind, shown, target: url?.href ?? target, warnings: warningsOf(kind, target, shown, url) };
}

/** The links in a plain text. */
export function linksInText(text: string): readonly JudgedLink[] {
  const found = text.match(/https?:\/\/[^\s<>"']+/gi) ?? [];
  const targets = new Set(found.map(withoutEnd));
  return [...targets].map((target) => judgeLink({ kind: 'link', target, shown: target }));
}

/** Without punctuation that ends a sentence or brackets around the link. */
function withoutEnd(address: string): string {
  let end = address.length;
  while ('.,;:!?)]}'.includes(address[end - 1] ?? ' ')) end -= 1;
  return address.slice(0, end);
}

function warningsOf(kind: HtmlLink['kind'], target: string, shown: string, url: URL | null): readonly string[] {
  if (url === null) return ['is not a full address'];
  if (url.protocol === 'mailto:' || url.protocol === 'tel:') return [];
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return [`is not a web address (${url.protocol})`];
  const named = hostIn(shown);
  const isOther = named !== null && bare(named) !== bare(url.hostname);
  const isForeign = /(?:^|\.)xn--/.test(url.hostname);
  return [
    ...(isOther ? [`its text names ${named}, but it leads to ${url.hostname}`] : []),
    ...(url.username === '' && url.password === ''
      ? []
      : [`leads to ${url.hostname}: the part before @ is a user name`]),
    ...(isForeign && !target.includes('xn--') ? [`its host has characters of other alphabets: ${url.hostname}`] : []),
    ...(kind === 'link' && shown === '' ? ['has no text'] : []),
  ];
}

/** The host that a text seems to name, as in `https://bank.example/x` or `bank.example`. An email address names none. */
function hostIn(shown: string): string | null {
  const given = shown.slice(0, 500).trim();
  const url = /^[a-z]+:\/\//i.test(given) ? URL.parse(given.split(/\s/)[0] ?? '') : null;
  if (url !== null) return url.hostname;
  const [, host] = /(?:^|[\s("'[])((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?=$|[\s/:?#)"'\],.!])/u.exec(given) ?? [];
  return host === undefined ? null : (URL.parse(`http://${host}`)?.hostname ?? null);
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/\.$/, '');
}
