import { styleText } from 'node:util';
import { outcomeOf } from '../outcome.ts';

/** Colours, or the plain text where there are none. */
export interface Paint {
  title(text: string): string;
  faint(text: string): string;
  bad(text: string): string;
  /** A status in the colour of what it means, whether a message's, a domain's or a finding's; may be padded. */
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
]);

/** A status that may still change is yellow, whether somebody has to act or not. */
function statusColor(status: string): 'green' | 'red' | 'yellow' {
  const other = OTHER_STATUSES.get(status);
  if (other !== undefined) return other;
  const outcome = outcomeOf(status);
  if (outcome === 'succeeded') return 'green';
  return outcome === 'failed' ? 'red' : 'yellow';
}

function style(name: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string): string {
  // An empty text stays empty, so that sheets can leave it out. Whether colour is wanted was decided before.
  return text === '' ? '' : styleText(name, text, { validateStream: false });
}
