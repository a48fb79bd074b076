import { EXPORT_FORMATS } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { linkButton } from '../../../../ui/components/button.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { emptyState, flushCard, pager } from '../../../../ui/components/surfaces.ts';
import { type PageResult, page } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import { withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { activeChips, filterForm, logViews } from './message-log-filters.ts';
import { messageTable } from './message-log-rows.ts';
import { activeFilters, LOG_PATH, type LogFilters, logAddress, readFilters } from './message-log-state.ts';

const ROWS = '50';

/** The message log. The address has the whole state, so that a view can be kept and sent to others. */
export async function showLog(request: PageRequest): Promise<PageResult> {
  const filters = readFilters(request.query);
  const cursor = request.query.text('cursor') ?? null;
  const found = await request.attempt('emails.list', {
    query: { ...given(filters), limit: ROWS, ...(cursor === null ? {} : { cursor }) },
  });
  const lead = 'What was sent, and what happened to it.';
  // Later pages do not change while they are read.
  const isLive = cursor === null && found.ok;
  const title = html`Messages${isLive ? html` <span class="live"></span>` : null}`;
  const actions = request.may('emails.export') ? exportMenu(filters) : null;
  return page({
    ...{ title: 'Messages', section: 'messages', status: found.ok ? 200 : found.problem.status },
    watch: isLive ? ['messages'] : [],
    content: html`${pageHeader({ title, lead, actions })}${logViews(filters)}
${filterForm(filters, found.ok ? null : found.problem)}${activeChips(filters, await keyNameOf(filters, request))}
${found.ok ? flushCard(null, results(found.body, filters, cursor, request)) : problemNotice(found.problem)}`,
  });
}

/** The name of the key that is filtered by. The key of a user's seat has none. */
async function keyNameOf({ key_id: id }: LogFilters, request: PageRequest): Promise<string | null> {
  if (id === undefined || !request.may('keys.get')) return null;
  const found = await request.attempt('keys.get', { params: { id } });
  return found.ok ? found.body.name : null;
}

/** The filters as the operation accepts them: those that have a value. */
function given(filters: LogFilters) {
  const { tag, ...single } = filters;
  return { ...single, ...(tag.length === 0 ? {} : { tag }) };
}

interface Found {
  readonly messages: Parameters<typeof messageTable>[0];
  readonly total: number;
  readonly totalIsEstimate: boolean;
  readonly nextCursor: string | null;
}

function results(
  { messages, total, totalIsEstimate, nextCursor }: Found,
  filters: LogFilters,
  cursor: string | null,
  request: PageRequest,
) {
  if (messages.length === 0) return nothing(filters, request);
  const next = nextCursor === null ? null : logAddress(filters, nextCursor);
  return html`${messageTable(messages, filters)}${cursor === null ? null : html`<p class="padded"><a href="${logAddress(filters)}">Back to the newest</a></p>`}
${pager(countWords(total, totalIsEstimate), next)}`;
}

function countWords(total: number, isEstimate: boolean): string {
  if (isEstimate) return `About ${total.toLocaleString('en-US')} messages`;
  return total === 1 ? '1 message' : `${total.toLocaleString('en-US')} messages`;
}

function nothing(filters: LogFilters, request: PageRequest): Html {
  return activeFilters(filters).length > 0
    ? emptyState('No message matches', 'Remove a filter, or show all messages.', linkButton('Show all', LOG_PATH))
    : emptyState(
        'No messages yet',
        'Send one over the API, SMTP or an agent, or by hand from here. It appears here at once.',
        firstSteps(request),
      );
}

function firstSteps(request: PageRequest): Html {
  const send = request.may('emails.send')
    ? linkButton('Send a test message', `${LOG_PATH}/send`, { kind: 'primary' })
    : null;
  const create = request.may('keys.create') ? linkButton('Create a key', '/console/keys/create') : null;
  return html`<div class="actions">${send}${create}</div>`;
}

/** Links to the export itself, which accepts the session of the browser. */
function exportMenu(filters: LogFilters): Html {
  const items = Object.keys(EXPORT_FORMATS).map((format) => {
    const href = withQuery('/emails/export', { format, ...given(filters) });
    return html`<li><a href="${href}" download>${FORMAT_WORDS[format] ?? format}</a></li>`;
  });
  return html`<details class="popover"><summary class="button">Export</summary><div><p class="small soft">The messages that match the filters, newest first.</p><ul class="plain">${items}</ul></div></details>`;
}

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  csv: 'CSV, for spreadsheets',
  json: 'JSON, one list',
  jsonl: 'JSON lines, one message a line',
};
