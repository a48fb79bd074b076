import { isIP } from 'node:net';
import { type AddressPolicy, refuseAddress } from './public-address.ts';

export type UrlVerdict =
  | { readonly ok: true; readonly url: URL }
  /** The reason reads on from the words "The URL". */
  | { readonly ok: false; readonly reason: string };

/**
 * What can be said of a URL before any name is looked up: https (http too in development), no user name or password, and no literal address
 * that leads inside. The parsed URL is what is called, so that nobody reads the text a second time and differently.
 */
export function checkUrl(given: string, policy: AddressPolicy): UrlVerdict {
  const url = URL.parse(given);
  if (url === null) return refuse('cannot be parsed');
  if (url.protocol !== 'https:' && !(policy.allowLoopback && url.protocol === 'http:')) return refuse('is not https');
  if (url.username !== '' || url.password !== '') return refuse('holds a user name or password');
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) === 0) return { ok: true, url };
  const reason = refuseAddress(literal, policy);
  return reason === null ? { ok: true, url } : refuse(`leads to ${literal}, which ${reason}`);
}

function refuse(reason: string): UrlVerdict {
  return { ok: false, reason };
}
