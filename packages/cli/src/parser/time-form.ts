import { InvalidArgumentError } from 'commander';
import type { ValueDescription } from '../command-description.ts';

type OtherForm = Extract<ValueDescription, { kind: 'time' }>['or'];

/** Looser than the rules of the server, which must accept whatever it accepts without this check. */
const TIME = /^\d{4}-\d\d-\d\dt\d\d:\d\d(:\d\d([.,]\d+)?)?(z|[+ -]\d\d:?\d\d)$/i;
const OTHERS = { date: /^\d{4}-\d\d-\d\d$/, duration: /^P[\dTYMWDHS.,]+$/ } as const;
const EXAMPLES = { date: 'a date such as 2026-01-31', duration: 'a duration such as PT2H' } as const;

/** Checks the form of a time, so that a mistyped one is an error of the command line, as a mistyped choice is. */
export function parseTime(text: string, other: OtherForm): string {
  if (TIME.test(text) || (other !== null && OTHERS[other].test(text))) return text;
  const alternative = other === null ? '' : `, or ${EXAMPLES[other]}`;
  throw new InvalidArgumentError(`Use a time with an offset such as 2026-01-31T09:00:00Z${alternative}.`);
}
