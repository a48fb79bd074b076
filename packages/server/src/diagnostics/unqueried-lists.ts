import type { BlocklistVerdict } from './blocklists.ts';

/** The limit for the details of a finding. */
const CHARACTERS = 400;

/**
 * One sentence about all lists that failed, grouped by reason; null if all responded. A resolver that is refused
 * everywhere is one problem, and not one per list. If the reasons are too long, only the names are shown: the records
 * have the rest.
 */
export function describeUnqueried(verdicts: readonly BlocklistVerdict[]): string | null {
  const listsByReason = new Map<string, Set<string>>();
  for (const { list, status, reason } of verdicts) {
    if (status !== 'could_not_check') continue;
    const known = listsByReason.get(reason ?? '') ?? new Set();
    listsByReason.set(reason ?? '', known.add(list));
  }
  if (listsByReason.size === 0) return null;
  const whole = `${[...listsByReason].map(([reason, lists]) => `${[...lists].join(', ')}: ${reason}`).join('; ')}.`;
  if (whole.length <= CHARACTERS) return whole;
  const names = new Set([...listsByReason.values()].flatMap((lists) => [...lists]));
  return `They are ${[...names].join(', ')}.`;
}
