import { isIP } from 'node:net';
import type { FindingCode } from '@postrider/core';
import { parse as parseName } from 'tldts';
import type { Findings } from '../findings.ts';
import { organizationalDomain } from '../organizational-domain.ts';
import type { ShownLink } from './inspect-html.ts';

type Found = Findings<FindingCode<'inbox-placement'>>;

const SHORTENERS = new Set(
  (
    'bit.ly tinyurl.com t.co goo.gl ow.ly is.gd v.gd buff.ly rebrand.ly cutt.ly rb.gy shorturl.at tiny.cc t.ly bl.ink lnkd.in s.id ' +
    'trib.al dlvr.it soo.gd x.co adf.ly shorte.st clck.ru urlz.fr qr.ae tr.im'
  ).split(' '),
);

/** The web links in a plain text. */
export function linksOfText(text: string): readonly ShownLink[] {
  return [...text.matchAll(/\bhttps?:\/\/[^\s<>"')\]]+/gi)].slice(0, 1_000).map(([href]) => ({ href, shown: '' }));
}

/** Checks the destinations of links; pure. @returns their host names, without duplicates. */
export function judgeLinks(links: readonly ShownLink[], findings: Found): readonly string[] {
  const hosts = new Set<string>();
  for (const { href, shown } of links) {
    const url = /^https?:/i.test(href) ? URL.parse(href) : null;
    if (url === null) continue;
    const host = url.hostname.replace(/\.$/, '');
    const shownHref = href.slice(0, 120);
    if (url.protocol === 'http:') findings.add('inbox_link_not_https', `It is ${shownHref}.`);
    const shownHost = hostOf(shown);
    if (shownHost !== null && siteOf(shownHost) !== siteOf(host)) {
      findings.add('inbox_link_mismatch', `It shows ${shownHost} and leads to ${host}.`);
    }
    if (isAddress(host)) {
      findings.add('inbox_link_to_address', `It is ${shownHref}.`);
      continue;
    }
    hosts.add(host);
    if (SHORTENERS.has(siteOf(host))) findings.add('inbox_link_shortener', `It is ${shownHref}.`);
  }
  return [...hosts];
}

/** The owner of a host; an IP address only belongs to itself. */
function siteOf(host: string): string {
  return isAddress(host) ? host : organizationalDomain(host);
}

/** IPv6 addresses in URLs have brackets. */
function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}

/** The host in the text of a link, if the text is a URL: with a scheme, or a name under a public suffix. */
function hostOf(shown: string): string | null {
  if (shown === '' || shown.length > 2_000 || /\s/.test(shown)) return null;
  const hasScheme = /^https?:\/\//i.test(shown);
  const host = URL.parse(hasScheme ? shown : `https://${shown}`)?.hostname.replace(/\.$/, '') ?? null;
  if (host === null || shown.includes('@')) return null;
  if (hasScheme) return host;
  // A number alone, such as a price, would be parsed as an IPv4 address.
  if (isAddress(host)) return null;
  const { domain, isIcann } = parseName(host);
  return domain !== null && isIcann === true ? host : null;
}
