import { reviewMessage } from '@postrider/review';
import type { Hold } from './hold.ts';

/** Whether a review of a hold finds what ordinary mail does not have, such as a link whose text names another site. */
export type DangerReader = (hold: Hold) => boolean;

export const hasDanger: DangerReader = (hold) => reviewMessage(hold).findings.some(({ level }) => level === 'danger');

/** A list never shows more holds than this, so that the results of decided holds are dropped at some time. */
const REMEMBERED_MAX = 1_000;

/** Reviews each revision of a hold once: the list is read again every few seconds, and a large message takes time. */
export function rememberDanger(read: DangerReader): DangerReader {
  const results = new Map<string, boolean>();
  return (hold) => {
    const key = `${hold.id} ${hold.revision} ${hold.contentHash}`;
    const known = results.get(key);
    if (known !== undefined) return known;
    if (results.size >= REMEMBERED_MAX) results.clear();
    const result = read(hold);
    results.set(key, result);
    return result;
  };
}
