import type { MessageRecord } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { statusWords, toneOf } from '../../../../ui/components/badge.ts';
import { foreignText } from '../../../../ui/components/foreign-text.ts';
import { type Column, table } from '../../../../ui/components/table.ts';
import { time } from '../../../../ui/components/time.ts';
import { LOG_PATH, type LogFilters, logAddress, withFilter, withTag } from './message-log-state.ts';
import { CHANNEL_WORDS } from './message-words.ts';

/** A message can have 50 recipients, of which a row shows the first ones. */
const LINE_CHARACTERS = 160;

/** The messages of a page. A status, an agent and a tag are links that filter by them. */
export function messageTable(messages: readonly MessageRecord[], filters: LogFilters): Html {
  return table({
    caption: 'Messages, newest first',
    columns: columnsOf(filters),
    rows: messages,
    idOf: ({ id }) => `message-${id}`,
    rowAttributes: () => ({ 'data-row': true }),
  });
}

function columnsOf(filters: LogFilters): readonly Column<MessageRecord>[] {
  return [
    { label: 'Message', kind: 'lead', cell: messageCell },
    { label: 'Status', cell: ({ status }) => statusLink(status, filters) },
    { label: 'Sent by', cell: (message) => origin(message, filters) },
    { label: 'Tags', cell: ({ tags }) => tagLinks(tags, filters) },
    { label: 'Time', cell: ({ createdAt }) => html`<span class="nowrap">${time(createdAt, 'age')}</span>` },
  ];
}

function messageCell({ id, subject, to }: MessageRecord): Html {
  return html`<a class="row-link two-lines" href="${LOG_PATH}/${id}">${subject === '' ? '(no subject)' : foreignText(subject)}</a>
<span class="cut soft small">${to === '' ? 'No recipients in To' : html`To ${foreignText(shortened(to))}`}</span>`;
}

function statusLink(status: string, filters: LogFilters): Html {
  return html`<a class="badge ${toneOf(status)}" href="${logAddress(withFilter(filters, 'status', status))}" title="Show only messages with this status">${statusWords(status)}</a>`;
}

function origin({ channel, agentName }: MessageRecord, filters: LogFilters): Html {
  if (agentName === null) return html`<div class="least">${CHANNEL_WORDS[channel]}</div>`;
  return html`<div class="least"><a class="two-lines" href="${logAddress(withFilter(filters, 'agent_name', agentName))}" title="Show only messages of this agent">${foreignText(agentName)}</a>
<span class="faint small">${CHANNEL_WORDS[channel]}</span></div>`;
}

const TAGS_SHOWN = 3;

function tagLinks(tags: readonly string[], filters: LogFilters): Html | null {
  if (tags.length === 0) return null;
  const links = tags
    .slice(0, TAGS_SHOWN)
    .map((tag) => html`<a class="tag" href="${logAddress(withTag(filters, tag))}">${foreignText(tag)}</a>`);
  const more = tags.length - links.length;
  return html`<div class="tags least">${links}${more > 0 ? html`<span class="tag">+${more}</span>` : null}</div>`;
}

function shortened(text: string): string {
  return text.length <= LINE_CHARACTERS ? text : `${text.slice(0, LINE_CHARACTERS)}…`;
}
