import { findLookAlikes } from './look-alikes.ts';

/**
 * What a host imitates, in words; null if nothing.
 * @param host as in DNS
 * @param own hosts that it could imitate, besides well-known ones
 */
export function findHostLookAlike(host: string, own: readonly string[]): string | null {
  const find = findLookAlikes({ sender: own[0] ?? null, recipients: own.slice(1), named: [] });
  return find(host)?.message ?? null;
}
