import type { Message } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { statusBadge } from '../../../../ui/components/badge.ts';
import { foreignText } from '../../../../ui/components/foreign-text.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { tabs } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import { type PageContent, page } from '../../console-page.ts';
import type { PageRequest } from '../../page-request.ts';
import { messageActions } from './message-actions.ts';
import { LOG_PATH } from './message-log-state.ts';

export type MessageTab = 'overview' | 'attempts' | 'content';

export interface MessagePageParts {
  readonly tab: MessageTab;
  readonly content: Html;
  readonly status?: number;
}

/** A page about one message: what it is, what can be done with it, and one of its tabs. */
export function messagePage(message: Message, request: PageRequest, parts: MessagePageParts): PageContent {
  const { id, subject, status, createdAt } = message;
  const path = `${LOG_PATH}/${id}`;
  const links = [
    { label: 'Overview', href: path, isCurrent: parts.tab === 'overview' },
    { label: 'Delivery attempts', href: `${path}/attempts`, isCurrent: parts.tab === 'attempts' },
    { label: 'Content', href: `${path}/content`, isCurrent: parts.tab === 'content' },
  ];
  return page({
    ...{ title: subject === '' ? 'Message without a subject' : shortTitle(subject), section: 'messages' },
    status: parts.status ?? 200,
    watch: [`message:${id}`],
    content: html`${pageHeader({
      title: subject === '' ? '(no subject)' : html`<span class="four-lines">${foreignText(subject)}</span>`,
      lead: html`<span class="row">${statusBadge(status)}<span>${recipientWords(message)}</span><span>${time(createdAt, 'age')}</span><span class="live"></span></span>`,
      crumbs: [{ label: 'Messages', href: LOG_PATH }],
      actions: messageActions(message, request),
    })}${tabs('Parts of the message', links)}${parts.content}`,
  });
}

function recipientWords({ recipients }: Message): Html {
  const [first] = recipients;
  if (first === undefined) return html`No recipients`;
  const more = recipients.length - 1;
  return html`to ${foreignText(first.email)}${more === 0 ? null : ` and ${more} more`}`;
}

/** Titles of tabs and windows are cut anyway. */
function shortTitle(subject: string): string {
  return subject.length <= TITLE_CHARACTERS ? subject : `${subject.slice(0, TITLE_CHARACTERS)}…`;
}

const TITLE_CHARACTERS = 120;
