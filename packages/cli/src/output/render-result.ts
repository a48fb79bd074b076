import { VIEW_FILES } from '../generated/view-files.ts';
import { isRecord, textOf } from './json-value.ts';
import type { Output } from './output.ts';
import { severalLines } from './untrusted-text.ts';
import type { View } from './view.ts';
import { showList, showRecord } from './views/plain.ts';

/**
 * Prints an operation's response as text, with the view of its record (`views/`) or of the command. Without a view it prints a plain list
 * or sheet.
 */
export async function renderResult(
  operationId: string,
  given: unknown,
  output: Output,
  now: Date,
  own?: View,
): Promise<void> {
  // A bare list is shown like a record with one field.
  const response = Array.isArray(given) ? { items: given } : given;
  if (!isRecord(response)) {
    output.writeText(`${severalLines(textOf(response)).trimEnd()}\n`);
    return;
  }
  const { record, load } = VIEW_FILES[operationId] ?? {};
  const view = own ?? (await load?.())?.find(({ records }) => records.includes(record ?? ''))?.show;
  const plain = 'nextCursor' in response ? showList : showRecord;
  (view ?? plain)(response, output, now);
}
