import type { RecipientKind } from '@postrider/core';
import type { NoticedHold } from '../db/queries/approval-notices.ts';
import { type MailText, ours, words } from '../installation-mail/mail-text.ts';
import { toLines } from '../installation-mail/sender-text.ts';
import type { MailFact, QuotedPart } from '../installation-mail/written-mail.ts';
import { formatSize } from './hold-words.ts';

/** How much of a message a mail quotes. */
export interface QuoteLimit {
  readonly characters: number;
  readonly lines: number;
  /** Recipients of each kind, and files. */
  readonly items: number;
  readonly isCompact: boolean;
}

/** A held message as a mail shows it: its recipients, and the beginning of its plain text. Its HTML is on the page only. */
export function quoteHold(hold: NoticedHold, limit: QuoteLimit): QuotedPart {
  const blind = atMost(recipientsOf(hold, 'bcc'), limit.items);
  const { lines, isWhole } = beginningOf(hold.text ?? '', limit);
  return {
    kind: 'quoted',
    title: 'The text below comes from the sender:',
    facts: [
      { name: 'Subject', lines: [words`${hold.subject}`] },
      { name: 'From', lines: [words`${hold.from}`] },
      ...(hold.replyTo === null ? [] : [{ name: 'Reply to', lines: [words`${hold.replyTo}`] }]),
      ...listed('To', atMost(recipientsOf(hold, 'to'), limit.items)),
      ...listed('Cc', atMost(recipientsOf(hold, 'cc'), limit.items)),
      ...listed(
        'Attached',
        atMost(
          hold.files.map(({ filename, size }) => words`${filename} (${ours(formatSize(size))})`),
          limit.items,
        ),
      ),
    ],
    isCompact: limit.isCompact,
    apart: blind.length === 0 ? null : { name: 'Blind copies, which the other recipients do not see:', lines: blind },
    lines,
    note: noteOn(hold, lines, isWhole),
  };
}

function recipientsOf({ recipients }: NoticedHold, kind: RecipientKind): readonly MailText[] {
  return recipients
    .filter((recipient) => recipient.kind === kind)
    .map(({ name, email }) => (name === null || name === '' ? words`${email}` : words`${name} <${email}>`));
}

function atMost(lines: readonly MailText[], count: number): readonly MailText[] {
  const more = lines.length - count;
  return more <= 0 ? lines : [...lines.slice(0, count), words`and ${more} more, on the page`];
}

function listed(name: string, lines: readonly MailText[]): readonly MailFact[] {
  return lines.length === 0 ? [] : [{ name, lines }];
}

function beginningOf(
  text: string,
  limit: QuoteLimit,
): { readonly lines: readonly string[]; readonly isWhole: boolean } {
  const characters = Array.from(text);
  const lines = toLines(characters.slice(0, limit.characters).join(''));
  const shown = lines.slice(0, limit.lines);
  if (shown.at(-1) === '') shown.pop();
  return { lines: shown, isWhole: characters.length <= limit.characters && lines.length <= limit.lines };
}

/** An HTML part can say something else than the text, so the mail says which of them it quotes. */
function noteOn({ hasHtml }: NoticedHold, lines: readonly string[], isWhole: boolean): string | null {
  if (lines.length === 0) return 'It has no text to quote. The page shows the email as its recipients see it.';
  const rest = isWhole ? [] : ['The rest is on the page.'];
  const part = hasHtml ? ['This is its plain text. The page shows the HTML that its recipients see.'] : [];
  return rest.length + part.length === 0 ? null : [...rest, ...part].join(' ');
}
