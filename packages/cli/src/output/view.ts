import type { JsonRecord } from './json-value.ts';
import type { Output } from './output.ts';

/** Prints one kind of answer for people. */
export type View = (answer: JsonRecord, output: Output, now: Date) => void;
