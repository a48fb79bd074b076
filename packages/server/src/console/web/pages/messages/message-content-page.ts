import type { Message } from '@postrider/core';
import { readExcerpts } from '../../../../approvals/web/held-content.ts';
import { heldFiles } from '../../../../approvals/web/view/held-files.ts';
import { type Html, html } from '../../../../html/page-markup.ts';
import { linkButton } from '../../../../ui/components/button.ts';
import { chips } from '../../../../ui/components/chip.ts';
import { facts } from '../../../../ui/components/facts.ts';
import { foreignText } from '../../../../ui/components/foreign-text.ts';
import { sourceText } from '../../../../ui/components/source-text.ts';
import { notice } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import type { PageResult } from '../../console-page.ts';
import { withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { contentToolsOf } from '../approvals/held-parts.ts';
import { LOG_PATH } from './message-log-state.ts';
import { messagePage } from './message-tabs.ts';

/** What was sent: the body as it is displayed, its texts, headers and files. */
export async function showContent(request: PageRequest): Promise<PageResult> {
  const message = await request.call('emails.get', { params: { id: request.param('id') } });
  const missing = explainMissing(message);
  const content = missing ?? html`${bodyCard(message, request)}${await fileCard(message, request)}`;
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

/** Which form of the body the page shows, and how high. */
export const CONTENT_QUERY = { show: Object.keys(VIEW_WORDS), height: ['full'] };

function bodyCard(message: Message, { query }: PageRequest): Html {
  const asked = query.get('show');
  const path = `${LOG_PATH}/${message.id}`;
  const views = viewsOf(message);
  const current = views.find((view) => view === asked) ?? views[0] ?? 'headers';
  const links = views.map((view) => ({
    label: VIEW_WORDS[view],
    href: withQuery(`${path}/content`, { show: view }),
    isCurrent: view === current,
  }));
  return html`<section class="card"><header><h2>Body</h2>${chips('Forms of the body', links)}</header><div class="body">${viewOf(message, current, { path, isTall: query.get('height') === 'full' })}</div></section>`;
}

function viewsOf({ html: markup, text }: Message): readonly View[] {
  return [
    ...(markup === null ? [] : (['displayed'] as const)),
    ...(text === null ? [] : (['text'] as const)),
    ...(markup === null ? [] : (['source'] as const)),
    'headers',
  ];
}

interface Shown {
  /** The page of the message. */
  readonly path: string;
  /** Whether the frame is as high as a long newsletter. */
  readonly isTall: boolean;
}

function viewOf(message: Message, view: View, { path, isTall }: Shown): Html {
  switch (view) {
    case 'displayed':
      return html`<div class="row"><p class="small faint">Images from other servers and scripts are not loaded. Links and forms do nothing here.</p><noscript class="end">${heightLink(path, isTall)}</noscript></div>
<iframe class="mail-frame ${isTall ? 'tall' : 'roomy'}" title="The message as it is displayed" sandbox="" loading="lazy" src="${path}/html"></iframe>`;
    case 'text':
      return sourceText(message.text ?? '', `${path}/text.txt`);
    case 'source':
      return sourceText(message.html ?? '', `${path}/html.txt`);
    case 'headers':
      return headerList(message);
  }
}

/** The script fits the frame to its content. Without it, no one can ask the frame how high that is: it runs nothing and has an opaque origin. */
function heightLink(path: string, isTall: boolean): Html {
  const href = withQuery(`${path}/content`, { show: 'displayed', height: isTall ? null : 'full' });
  return linkButton(isTall ? 'Shorter frame' : 'Taller frame', href, { isSmall: true });
}

function headerList({ headers }: Message): Html {
  const rows = Object.entries(headers ?? {}).map(
    ([name, value]) => [name, html`<code>${foreignText(value)}</code>`] as const,
  );
  return html`${rows.length === 0 ? html`<p class="soft">The request set no headers of its own.</p>` : facts(rows)}
<p class="small faint">Postrider adds the standard headers when it sends, such as Date, Message-ID and the DKIM signature.</p>`;
}

/** The files, shown as safely as those of a message that waits for approval. */
async function fileCard({ id, attachments }: Message, request: PageRequest): Promise<Html> {
  const files = attachments ?? [];
  const excerpts = await readExcerpts(contentToolsOf(request), { emailId: id, attachments: files });
  return heldFiles({ attachments: files, base: `${LOG_PATH}/${id}`, excerpts });
}
