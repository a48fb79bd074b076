import { type JsonRecord, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { singleLine } from '../untrusted-text.ts';

/** The size of the page and of the list, and how to get the next page. */
export function remarkOnPage(page: JsonRecord, shown: number, noun: string, output: Output): void {
  const total = typeof page['total'] === 'number' ? page['total'] : shown;
  const about = page['totalIsEstimate'] === true ? 'about ' : '';
  if (shown === 0) output.remark(`No ${noun}.`);
  else output.remark(`${shown} of ${about}${total.toLocaleString('en')} ${noun}.`);
  const cursor = singleLine(textOf(page['nextCursor']));
  if (cursor !== '') output.remark(`For the next page, add --cursor ${cursor}`);
}
