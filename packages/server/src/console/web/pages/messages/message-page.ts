import type { Message, Problem } from '@postrider/core';
import { html } from '../../../../html/page-markup.ts';
import { card } from '../../../../ui/components/surfaces.ts';
import type { PageContent, PageResult } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import type { PageRequest } from '../../page-request.ts';
import { eventTimeline } from './message-events.ts';
import { explainMessage } from './message-explanation.ts';
import { messageFacts, recipientCards } from './message-facts.ts';
import { LOG_PATH } from './message-log-state.ts';
import { messagePage } from './message-tabs.ts';

export async function showMessage(request: PageRequest): Promise<PageResult> {
  const message = await request.call('emails.get', { params: { id: request.param('id') } });
  return await overviewPage(message, request, null);
}

/** What happened to a message, and why. */
export async function overviewPage(
  message: Message,
  request: PageRequest,
  problem: Problem | null,
): Promise<PageContent> {
  const allHref = request.query.get('events') === 'all' ? null : `${LOG_PATH}/${message.id}?events=all`;
  const content = html`${problem === null ? null : problemNotice(problem)}${await explainMessage(message, request)}
<div class="columns"><div class="stack">${card('What happened', eventTimeline(message.events, { allHref }))}${recipientCards(message)}</div>
<div class="stack">${await messageFacts(message, request)}</div></div>`;
  return messagePage(message, request, { tab: 'overview', content, status: problem?.status ?? 200 });
}
