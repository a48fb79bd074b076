/** What decides which hosts a key may fetch attachments from. */
export interface HostFacts {
  readonly attachmentHosts: readonly string[] | null;
  readonly isTest: boolean;
  readonly isHeld: boolean;
  readonly isAllowlisted: boolean;
}

/**
 * The hosts that the attachment URLs of a key may name; null allows any. A key in approval mode, a test key or a key with an allowlist may
 * only name hosts that a user listed: the request alone can carry data past the hold, or to someone who is not on the allowlist.
 */
export function fetchableHosts({ attachmentHosts, ...facts }: HostFacts): readonly string[] | null {
  return attachmentHosts ?? (facts.isTest || facts.isHeld || facts.isAllowlisted ? [] : null);
}

/** What a caller can do about a host that is not listed. */
export const FETCH_FIX =
  'Send the file itself as base64 `content`, or ask an owner or admin to add the host to the key’s `attachmentHosts`.';

/** Whether all of these lists allow a URL. A URL that cannot be parsed is on no list. */
export function isFetchable(url: string, lists: readonly (readonly string[] | null)[]): boolean {
  const host = URL.parse(url)?.hostname ?? null;
  return lists.every((list) => list === null || (host !== null && list.some((entry) => matches(entry, host))));
}

/** Whether `outer` allows every host that `inner` allows. */
export function areHostsWithin(inner: readonly string[] | null, outer: readonly string[] | null): boolean {
  if (outer === null) return true;
  if (inner === null) return false;
  return inner.every((entry) => outer.some((wide) => isWithin(entry, wide)));
}

function isWithin(entry: string, wide: string): boolean {
  if (entry === wide) return true;
  // `*.a.b` is within `*.b`; no list of subdomains is within one host.
  return wide.startsWith('*.') && matches(wide, entry.startsWith('*.') ? entry.slice(2) : entry);
}

/** `*.example.com` matches every subdomain of `example.com`, but not `example.com` itself. */
function matches(entry: string, host: string): boolean {
  return entry.startsWith('*.') ? host.endsWith(entry.slice(1)) && host.length > entry.length - 1 : host === entry;
}
