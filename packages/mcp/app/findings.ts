import type { ReviewRecord } from '../src/apps/held-send-record.ts';
import { element, foreign, foreignName } from './elements.ts';
import { countOf } from './words.ts';

type Finding = ReviewRecord['findings'][number];

/** What deceives the readers of the message, the dangerous first; ordinary remarks are folded. As in the console. */
export function findingNotice(review: ReviewRecord | null, hasContent: boolean): Node | null {
  if (review === null) return hasContent ? UNREAD() : null;
  const urgent = review.findings.filter(({ level }) => level !== 'note');
  const others = review.findings.filter(({ level }) => level === 'note');
  const left = review.findingCount - review.findings.length;
  const more = left > 0 ? element('p', { class: 'small' }, `And ${countOf(left, 'more remark')} on the page.`) : null;
  const folded =
    others.length === 0
      ? null
      : element(
          'details',
          { 'data-key': 'remarks' },
          element('summary', {}, countOf(others.length, urgent.length === 0 ? 'remark' : 'more remark')),
          element('ul', { class: 'findings' }, ...others.map(finding)),
        );
  if (urgent.length === 0) return folded === null ? null : element('div', { class: 'quiet' }, folded, more);
  const isDangerous = urgent.some(({ level }) => level === 'danger');
  return element(
    'div',
    { class: `notice ${isDangerous ? 'bad' : 'warn'}` },
    element('strong', {}, isDangerous ? 'This message may deceive its readers' : 'Review this before you decide'),
    element('ul', { class: 'findings' }, ...urgent.map(finding)),
    folded,
    more,
  );
}

const UNREAD = () =>
  element(
    'div',
    { class: 'notice warn' },
    element('strong', {}, 'This message was not checked for deceptive links'),
    element('p', {}, 'It is too large, or the server is busy. Read it on the page.'),
  );

function finding({ message, text, target }: Finding): Node {
  const rows = [
    text === '' ? null : row('Text', '“', foreign(text), '”'),
    target === null ? null : row(text === '' ? 'Address' : 'Opens', foreignName(target, 'mono')),
  ];
  const details = rows.every((one) => one === null) ? null : element('dl', {}, ...rows);
  return element('li', {}, element('b', {}, message), details);
}

function row(name: string, ...value: readonly (Node | string)[]): Node {
  return element('div', {}, element('dt', {}, name), element('dd', {}, ...value));
}
