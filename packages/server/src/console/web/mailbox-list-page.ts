import { LIMITS } from '@postrider/core';
import { type Html, html } from '../../html/page-markup.ts';
import { button, linkButton } from '../../ui/components/button.ts';
import { textField } from '../../ui/components/field.ts';
import { foreignText } from '../../ui/components/foreign-text.ts';
import { emptyState, flushCard, pager } from '../../ui/components/surfaces.ts';
import { type Column, table } from '../../ui/components/table.ts';
import { time } from '../../ui/components/time.ts';
import type { MailboxEntry } from '../mailbox-entry.ts';
import { MAILBOX_PATH, type MailboxPage } from './mailbox-page.ts';
import { withQuery } from './page-address.ts';

export interface MailboxList {
  readonly entries: readonly MailboxEntry[];
  readonly total: number;
  /** True if there are at least this many. */
  readonly isTotalCapped: boolean;
  readonly text: string;
  readonly messageId: string | null;
  /** The last id of the page, if others follow. */
  readonly next: string | null;
}

const LINE_CHARACTERS = 160;

/** The captured mail, newest first. */
export function mailboxListPage(list: MailboxList): MailboxPage {
  const { entries, total, isTotalCapped, text, messageId, next } = list;
  const count = `${isTotalCapped ? 'More than ' : ''}${total.toLocaleString('en-US')} ${total === 1 ? 'message' : 'messages'}`;
  const nextHref = next === null ? null : withQuery(MAILBOX_PATH, { q: text, message: messageId, cursor: next });
  const rows = html`${table({
    ...{ caption: 'Captured mail, newest first', columns: COLUMNS, rows: entries },
    idOf: ({ id }) => `captured-${id}`,
    rowAttributes: () => ({ 'data-row': true }),
  })}${pager(count, nextHref)}`;
  return {
    title: 'Captured mail',
    lead: 'In development, mail is not sent but kept here. Sign-in mail arrives here too.',
    crumbs: [],
    actions: null,
    content: html`${searchForm(text)}${messageId === null ? null : onlyOneMessage()}${flushCard(null, entries.length === 0 ? nothing(text !== '' || messageId !== null) : rows)}`,
  };
}

const COLUMNS: readonly Column<MailboxEntry>[] = [
  {
    label: 'Subject',
    kind: 'lead',
    cell: ({ id, subject, to }) =>
      html`<a class="row-link two-lines" href="${MAILBOX_PATH}/${id}">${subject === '' ? '(no subject)' : foreignText(subject)}</a>
<span class="two-lines soft small">To ${foreignText(to.join(', ').slice(0, LINE_CHARACTERS))}</span>`,
  },
  { label: 'From', cell: ({ from }) => html`<span class="two-lines">${foreignText(from)}</span>` },
  {
    label: 'Captured',
    cell: ({ receivedAt }) => html`<span class="nowrap">${time(receivedAt.toISOString(), 'age')}</span>`,
  },
];

function searchForm(text: string): Html {
  return html`<form class="filters" method="get" action="${MAILBOX_PATH}" role="search"><div class="grow">${textField({ name: 'q', label: 'Subject, sender or recipient contains', type: 'search', value: text, maxLength: LIMITS.searchCharactersMax })}</div>${button('Search')}</form>`;
}

function onlyOneMessage(): Html {
  return html`<p class="soft">Only what was captured of one message. <a href="${MAILBOX_PATH}">Show all</a></p>`;
}

function nothing(isFiltered: boolean): Html {
  return isFiltered
    ? emptyState(
        'Nothing matches',
        'Messages to the test addresses that fail are not captured, nor are messages that were not sent yet.',
        linkButton('Show all', MAILBOX_PATH),
      )
    : emptyState('No mail yet', 'Send a message, and it appears here.');
}
