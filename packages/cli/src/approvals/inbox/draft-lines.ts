import { formatAge, formatTime } from '../../output/time.ts';
import { severalLines, singleLine, withoutInvisibles } from '../../output/untrusted-text.ts';
import { differencesOf } from '../differences.ts';
import { fact } from '../preview-lines.ts';
import type { ShownLine } from '../shown-line.ts';
import { authorOf, nameOf, type PartChange, type TemplateDraft } from '../template-draft.ts';
import type { DraftDecision } from '../template-drafts.ts';
import { diffLines, plain } from './text-lines.ts';

const TITLES = { subject: 'Subject', html: 'HTML', text: 'Text' } as const;

/** The template, the author, and the version that publishing replaces. */
export function draftFactLines(draft: TemplateDraft, columns: number, now: Date): readonly ShownLine[] {
  const { slug, name, version, currentVersion, createdAt } = draft;
  const replaced =
    currentVersion === null ? 'nothing, because it has no published version' : `version ${currentVersion}`;
  return [
    ...fact('Template', name === slug ? slug : `${slug} (${name})`, columns, 'title'),
    ...fact('Draft', `version ${version}`, columns),
    ...fact('Replaces', replaced, columns),
    ...fact('', undoneBy(draft), columns, 'bad'),
    ...fact('Written by', `key ${authorOf(draft)}`, columns),
    ...fact('Written', `${formatAge(createdAt, now)} (${formatTime(createdAt)})`, columns),
    ...fact('Note', draft.note ?? '', columns),
    ...fact('Changes', partsOf(draft), columns),
    ...fact('Id', draft.id, columns, 'faint'),
  ];
}

export function partsOf({ changes }: TemplateDraft): string {
  return changes.length === 0 ? 'nothing' : changes.map(({ part }) => part).join(', ');
}

function undoneBy({ baseVersion, currentVersion }: TemplateDraft): string {
  if (baseVersion === currentVersion || currentVersion === null) return '';
  return `! Version ${currentVersion} was published after the draft was written. Publishing the draft undoes that.`;
}

/** The changes to the current version, part by part, which do not depend on the time. */
export function draftChangeLines({ changes }: TemplateDraft, columns: number): readonly ShownLine[] {
  if (changes.length === 0) {
    return [{ text: '' }, ...plain('It is the same as the current version.', columns, 'faint')];
  }
  return [
    { text: '' },
    ...plain('What it changes. Lines after + are its author’s, and no one has checked them.', columns, 'faint'),
    ...changes.flatMap((change) => [{ text: '' }, ...partLines(change, columns)]),
  ];
}

function partLines({ part, before, after }: PartChange, columns: number): readonly ShownLine[] {
  const title = TITLES[part];
  const whole = before === null ? ' (new)' : after === null ? ' (removed)' : '';
  const [head, ...lines] = differencesOf(`${title}${whole}`, toLines(before), toLines(after));
  if (head === undefined) {
    const words = before === null || before === '' ? 'empty now' : 'only line endings';
    return [...plain(title, columns, 'title'), ...plain(`  ${words}`, columns, 'faint')];
  }
  const hidden = countHidden(after ?? '');
  const count = hidden === 1 ? '1 invisible character' : `${hidden} invisible characters`;
  return [
    ...diffLines([head], columns),
    ...(hidden === 0 ? [] : plain(`! It has ${count}, not shown here.`, columns, 'bad')),
    ...diffLines(lines, columns),
  ];
}

function toLines(text: string | null): string {
  return (text ?? '').replace(/\r\n?/g, '\n');
}

/** Control characters, direction marks and zero-width characters, which can hide text in a template. */
function countHidden(text: string): number {
  const shown = withoutInvisibles(severalLines(text));
  return toLines(text).replaceAll('\t', '    ').length - shown.length;
}

/** The confirmation question for a draft. */
export function draftQuestion(draft: TemplateDraft, decision: DraftDecision, columns: number): readonly ShownLine[] {
  const name = withoutInvisibles(singleLine(nameOf(draft)));
  const isOnly = draft.currentVersion === null;
  if (decision === 'publish') {
    const words = isOnly ? 'After that, the template can be sent.' : 'Later sends of the template use it.';
    return [...plain(`Publish ${name}? ${words}`, columns, 'title'), { text: '' }];
  }
  const words = isOnly
    ? 'This cannot be undone. If the template has no other version, it is deleted too.'
    : 'This cannot be undone.';
  return [...plain(`Discard ${name}? ${words}`, columns, 'title'), { text: '' }];
}
