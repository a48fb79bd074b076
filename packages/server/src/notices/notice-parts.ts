import { type MailText, ours, words } from '../installation-mail/mail-text.ts';
import type { MailPart } from '../installation-mail/written-mail.ts';

/** What every notice is written with. */
export interface NoticeContext {
  readonly accountName: string;
  readonly baseUrl: string;
  readonly now: Date;
}

/** The maximum number of things that a mail names. It only counts the others, which its page lists too. */
const NAMED_THINGS = 20;

export function paragraph(text: MailText): MailPart {
  return { kind: 'paragraph', text };
}

/** The account, and below it the things that a mail is about. */
export function listThings<Thing>(
  accountName: string,
  things: readonly Thing[],
  describe: (thing: Thing) => MailText,
): readonly MailPart[] {
  const more = things.length - NAMED_THINGS;
  return [
    { kind: 'facts', facts: [{ name: 'Account', lines: [words`${accountName}`] }] },
    { kind: 'list', items: things.slice(0, NAMED_THINGS).map(describe) },
    ...(more > 0 ? [paragraph(ours(`And ${more} more.`))] : []),
  ];
}
