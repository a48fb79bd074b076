import type { MailText } from './mail-text.ts';

/** A mail of the installation as data. `renderMail` writes both of its parts, so they never disagree. */
export interface WrittenMail {
  readonly subject: MailText;
  /** What a list of mail shows after the subject. The plain text leaves it out, so the mail must say it too. */
  readonly preheader: MailText;
  readonly heading: MailText;
  /** Above the button. What a sender wrote goes below it, so that it cannot pretend to come from us. */
  readonly opening: readonly MailPart[];
  /** Null if no page does what the mail asks for. */
  readonly button: MailLink | null;
  readonly rest: readonly MailPart[];
  /** Why the reader gets this mail. */
  readonly footer: MailText;
}

export interface MailLink {
  readonly label: string;
  readonly url: string;
}

export interface MailFact {
  readonly name: string;
  /** One line each. */
  readonly lines: readonly MailText[];
}

export type MailPart =
  | { readonly kind: 'paragraph'; readonly text: MailText }
  | { readonly kind: 'list'; readonly items: readonly MailText[] }
  | { readonly kind: 'facts'; readonly facts: readonly MailFact[]; readonly isCompact?: boolean }
  /** A letter of ours, with its own lines. */
  | { readonly kind: 'letter'; readonly text: string }
  | { readonly kind: 'commands'; readonly lines: readonly string[] }
  /** The heading of one of several things in a mail. */
  | { readonly kind: 'title'; readonly text: MailText }
  /** The way to one of several things in a mail; a mail about one thing has a button. */
  | ({ readonly kind: 'link' } & MailLink)
  | QuotedPart;

/** What a sender wrote, in a box that is visibly not ours. */
export interface QuotedPart {
  readonly kind: 'quoted';
  /** Ends with a colon. */
  readonly title: string;
  readonly facts: readonly MailFact[];
  readonly isCompact: boolean;
  /** Set apart, because it is easy to overlook. */
  readonly apart: MailFact | null;
  /** The lines of its text. */
  readonly lines: readonly string[];
  /** What we say about the text. */
  readonly note: string | null;
}
