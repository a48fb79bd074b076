import { isIP } from 'node:net';
import { type AddressPolicy, refuseAddress } from './public-address.ts';

export type UrlVerdict =
  | { readonly ok: true; readonly url: URL }
  /** The reason continues the words "The URL". */
  | { readonly ok: false; readonly reason: string };

/**
 * Checks a URL before any lookup: https (http too in development), no user name or password, and no literal address that
 * leads to an internal network. Callers use the parsed URL, so that the text is not parsed a second time with a
 * different result.
 */
export function checkUrl(given: string, policy: AddressPolicy): UrlVerdict {
  const url = URL.parse(given);
  if (url === null) return refuse('cannot be parsed');
  if (url.protocol !== 'https:' && !(policy.allowLoopback && url.protocol === 'http:')) return refuse('is not https');
  if (url.username !== '' || url.password !== '') return refuse('contains a user name or password');
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) === 0) return { ok: true, url };
  const reason = refuseAddress(literal, policy);
  return reason === null ? { ok: true, url } : refuse(`leads to ${literal}, which ${reason}`);
}

function refuse(reason: string): UrlVerdict {
  return { ok: false, reason };
}
