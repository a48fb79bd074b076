import type { BlocklistVerdict } from './blocklists.ts';

/** As much as a finding shows of its particulars. */
const CHARACTERS = 400;

/**
 * One sentence about every list that could not be asked, those with the same reason together; null where all answered. One resolver that is
 * refused everywhere is one fault and not one for each list. Where the reasons are too long the names stand alone: the records have the rest.
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
