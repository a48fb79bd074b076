import type { Records } from '../generated/records.ts';
import type { JsonRecord, Shown } from './json-value.ts';
import type { Output } from './output.ts';

/** Prints one kind of response as text. */
export type View = (response: JsonRecord, output: Output, now: Date) => void;

/** The view of these records, by their names in the contract. */
export interface RecordView {
  readonly records: readonly string[];
  readonly show: View;
}

export function defineView<const Name extends keyof Records>(
  records: readonly Name[],
  show: (response: Shown<Records[Name]>, output: Output, now: Date) => void,
): RecordView {
  return { records, show };
}
