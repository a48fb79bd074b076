import type { Message } from '@postrider/core';
import { formatSize } from '../../../../approvals/hold-words.ts';
import { type Html, html } from '../../../../html/page-markup.ts';
import { chips } from '../../../../ui/components/chip.ts';
import { facts } from '../../../../ui/components/facts.ts';
import { foreignText } from '../../../../ui/components/foreign-text.ts';
import { sourceText } from '../../../../ui/components/source-text.ts';
import { flushCard, notice } from '../../../../ui/components/surfaces.ts';
import { table } from '../../../../ui/components/table.ts';
import { time } from '../../../../ui/components/time.ts';
import type { PageResult } from '../../console-page.ts';
import { withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { LOG_PATH } from './message-log-state.ts';
import { messagePage } from './message-tabs.ts';

/** What was sent: the body as it is displayed, its texts, headers and files. */
export async function showContent(request: PageRequest): Promise<PageResult> {
  const message = await request.call('emails.get', { params: { id: request.param('id') } });
  const missing = explainMissing(message);
  const content = missing ?? html`${bodyCard(message, request.query.get('show'))}${attachmentCard(message)}`;
  return messagePage(message, request, { tab: 'content', content });
}

function explainMissing({ contentRedacted, bodyExpired, bodyExpiresAt, status }: Message): Html | null {
  if (contentRedacted)
    return notice(
      'info',
      'Your role does not include the content',
      'Ask an owner or admin of the account for another role if you need it.',
    );
  if (!bodyExpired) return null;
  if (status === 'canceled')
    return notice('info', 'The content was removed', 'The content of a canceled message is not kept.');
  return notice(
    'info',
    'The content is no longer stored',
    html`Bodies and files are kept for a limited time${bodyExpiresAt === null ? null : html`, in this case until ${time(bodyExpiresAt, 'day')} at the latest`}. The log and the events remain.`,
  );
}

type View = 'displayed' | 'text' | 'source' | 'headers';

const VIEW_WORDS: Readonly<Record<View, string>> = {
  displayed: 'As displayed',
  text: 'Plain text',
  source: 'HTML source',
  headers: 'Headers',
};

function bodyCard(message: Message, asked: string | null): Html {
  const path = `${LOG_PATH}/${message.id}`;
  const views = viewsOf(message);
  const current = views.find((view) => view === asked) ?? views[0] ?? 'headers';
  const links = views.map((view) => ({
    label: VIEW_WORDS[view],
    href: withQuery(`${path}/content`, { show: view }),
    isCurrent: view === current,
  }));
  return html`<section class="card"><header><h2>Body</h2>${chips('Forms of the body', links)}</header><div class="body">${viewOf(message, current, path)}</div></section>`;
}

function viewsOf({ html: markup, text }: Message): readonly View[] {
  return [
    ...(markup === null ? [] : (['displayed'] as const)),
    ...(text === null ? [] : (['text'] as const)),
    ...(markup === null ? [] : (['source'] as const)),
    'headers',
  ];
}

function viewOf(message: Message, view: View, path: string): Html {
  switch (view) {
    case 'displayed':
      return html`<iframe class="mail-frame" title="The message as it is displayed" sandbox="" loading="lazy" src="${path}/html"></iframe>
<p class="small faint">Images from other servers and scripts are not loaded. Links and forms do nothing here.</p>`;
    case 'text':
      return sourceText(message.text ?? '', `${path}/text.txt`);
    case 'source':
      return sourceText(message.html ?? '', `${path}/html.txt`);
    case 'headers':
      return headerList(message);
  }
}

function headerList({ headers }: Message): Html {
  const rows = Object.entries(headers ?? {}).map(
    ([name, value]) => [name, html`<code>${foreignText(value)}</code>`] as const,
  );
  return html`${rows.length === 0 ? html`<p class="soft">The request set no headers of its own.</p>` : facts(rows)}
<p class="small faint">Postrider adds the standard headers when it sends, such as Date, Message-ID and the DKIM signature.</p>`;
}

function attachmentCard({ attachments }: Message): Html | null {
  const files = attachments ?? [];
  if (files.length === 0) return null;
  return flushCard(
    files.length === 1 ? '1 attachment' : `${files.length} attachments`,
    table({
      ...{ caption: 'Attached files', rows: files },
      columns: [
        {
          label: 'Name',
          kind: 'lead',
          cell: ({ filename }) => html`<span class="strong">${foreignText(filename)}</span>`,
        },
        { label: 'Type', cell: ({ contentType }) => html`<div class="least">${foreignText(contentType)}</div>` },
        { label: 'Size', kind: 'number', cell: ({ size }) => html`<span class="nowrap">${formatSize(size)}</span>` },
      ],
    }),
  );
}
