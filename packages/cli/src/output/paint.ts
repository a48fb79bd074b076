import { styleText } from 'node:util';
import { outcomeOf } from '../outcome.ts';

/** Adds colors, or returns the text unchanged without them. */
export interface Paint {
  title(text: string): string;
  faint(text: string): string;
  bad(text: string): string;
  /** Colors a status of a message, a domain or a finding by its meaning; the text may be padded. */
  status(text: string): string;
}

export function paintFor(hasColor: boolean): Paint {
  const plain = (text: string) => text;
  if (!hasColor) return { title: plain, faint: plain, bad: plain, status: plain };
  return {
    title: (text) => style('bold', text),
    faint: (text) => style('dim', text),
    bad: (text) => style('red', text),
    status: (text) => style(statusColor(text.trim()), text),
  };
}

const OTHER_STATUSES: ReadonlyMap<string, 'green' | 'red'> = new Map([
  ['pass', 'green'],
  ['verified', 'green'],
  ['not_listed', 'green'],
  ['fail', 'red'],
  ['listed', 'red'],
  ['removed', 'red'],
  ['enabled', 'green'],
  ['disabled', 'red'],
  ['succeeded', 'green'],
  ['accepted', 'green'],
  ['refused', 'red'],
]);

/** A status that may still change is yellow. */
function statusColor(status: string): 'green' | 'red' | 'yellow' {
  const other = OTHER_STATUSES.get(status);
  if (other !== undefined) return other;
  const outcome = outcomeOf(status);
  if (outcome === 'succeeded') return 'green';
  return outcome === 'failed' ? 'red' : 'yellow';
}

function style(name: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string): string {
  // An empty text stays empty, so that sheets can omit it. The caller has checked that color is wanted.
  return text === '' ? '' : styleText(name, text, { validateStream: false });
}
