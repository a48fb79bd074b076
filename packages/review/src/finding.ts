/** What a finding is about. */
export const FINDING_KINDS = [
  'text-differs',
  'look-alike',
  'hidden-text',
  'unclear-text',
  'not-web',
  'no-text',
  'foreign-letters',
  'invisible-characters',
  'form',
  'covers',
  'looks-different',
  'not-checked',
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

/** `danger`: ordinary mail has no such thing. `warn`: review it before you decide. `note`: ordinary, but good to know. */
export type FindingLevel = 'danger' | 'warn' | 'note';

/** The part of the message. */
export type FindingPlace = 'subject' | 'from' | 'replyTo' | 'recipients' | 'files' | 'html' | 'text';

/** Something about a message that its approver should know. All texts are untrusted, except for the words of `message`. */
export interface Finding {
  readonly kind: FindingKind;
  readonly level: FindingLevel;
  readonly place: FindingPlace;
  /** What the reader sees: the text of a link, or the text in question. Cut. */
  readonly text: string;
  /** The target of the link; null if it is not about a link. Cut. */
  readonly target: string | null;
  /** The host of the target, as in DNS. */
  readonly host: string | null;
  /** One or two plain sentences. */
  readonly message: string;
}

/** What a rule returns about one subject. */
export type Remark = Pick<Finding, 'kind' | 'level' | 'message'>;

export const TEXT_CHARACTERS = 120;
export const TARGET_CHARACTERS = 500;
/** Of one level. More would not be read. */
const FINDINGS_MAX = 100;

const LEVELS: readonly FindingLevel[] = ['danger', 'warn', 'note'];

/** The most important first, each level bounded, so that many harmless findings leave out no dangerous one. */
export function rankFindings(findings: Iterable<Finding>): readonly Finding[] {
  const byLevel = new Map<FindingLevel, Map<string, Finding>>(LEVELS.map((level) => [level, new Map()]));
  for (const finding of findings) {
    const group = byLevel.get(finding.level);
    if (group === undefined || group.size >= FINDINGS_MAX) continue;
    const { place, target, text, message } = finding;
    group.set(JSON.stringify([place, target, text, message]), finding);
  }
  return [...byLevel.values()].flatMap((group) => [...group.values()]);
}

/** A text of the message, short enough for a list. */
export function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1).toWellFormed()}…`;
}
