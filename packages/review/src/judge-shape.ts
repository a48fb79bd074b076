import type { Remark } from './finding.ts';
import { hostOfMailbox, isWithin, placeOf } from './hosts.ts';
import type { HtmlReading } from './read-html.ts';

/** What is unusual in the HTML as a whole: forms and elements over the message. */
export function judgeShape({ forms, links, isCovered }: HtmlReading, from: string): readonly (Remark | null)[] {
  return [judgeForms(forms, links, from), isCovered ? COVERS : null];
}

/** Whether the limits of the review left out a part of a body. */
export function judgeCompleteness(isCut: boolean): readonly Remark[] {
  return isCut ? [NOT_CHECKED] : [];
}

const NOT_CHECKED: Remark = {
  kind: 'not-checked',
  level: 'danger',
  message: 'It was not checked completely: it has more parts than ordinary mail, and the rest may contain anything.',
};

const COVERS: Remark = {
  kind: 'covers',
  level: 'warn',
  message: 'A part of it can lie over the rest of the message and hide it.',
};

function judgeForms(
  { count, asksForPassword }: HtmlReading['forms'],
  links: HtmlReading['links'],
  from: string,
): Remark | null {
  const kind = 'form';
  if (asksForPassword)
    return { kind, level: 'danger', message: 'It asks for a password. Honest mail links to a page that does.' };
  const sender = hostOfMailbox(from);
  const hosts = links.flatMap((link) => (link.kind === 'form' ? [placeOf(link.target)?.host ?? ''] : []));
  const foreign = hosts.find((host) => host !== '' && !(sender !== null && isWithin(host, sender)));
  if (foreign !== undefined)
    return { kind, level: 'danger', message: `It has a form that sends what recipients enter to ${foreign}.` };
  if (count === 0 && hosts.length === 0) return null;
  return { kind, level: 'warn', message: 'It has a form. Ordinary mail has none, and links to a page instead.' };
}
