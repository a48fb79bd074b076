import { formatSize } from '../../approvals/hold-words.ts';
import { type Html, html } from '../../html/page-markup.ts';
import { linkButton } from '../../ui/components/button.ts';
import { chips } from '../../ui/components/chip.ts';
import { facts } from '../../ui/components/facts.ts';
import { foreignText } from '../../ui/components/foreign-text.ts';
import { sourceText } from '../../ui/components/source-text.ts';
import { card, flushCard } from '../../ui/components/surfaces.ts';
import { table } from '../../ui/components/table.ts';
import { time } from '../../ui/components/time.ts';
import type { CapturedFileFacts, ReadableMessage } from '../read-captured.ts';
import { MAILBOX_PATH, type MailboxPage } from './mailbox-page.ts';
import { withQuery } from './page-address.ts';

export interface CapturedFacts {
  readonly id: string;
  /** The envelope that the transport received: it shows blind copies. */
  readonly mailFrom: string;
  readonly to: readonly string[];
  readonly receivedAt: Date;
  /** The page of the message it belongs to; null for mail of the installation itself. */
  readonly messageHref: string | null;
}

const RECIPIENTS_SHOWN = 5;
const TITLE_CHARACTERS = 120;
/** All of a header is among the headers. */
const LINE_CHARACTERS = 500;

/** One captured message: envelope, body in its forms, headers and files. */
export function mailboxMessagePage(
  captured: CapturedFacts,
  message: ReadableMessage,
  asked: string | null,
): MailboxPage {
  const path = `${MAILBOX_PATH}/${captured.id}`;
  const open = captured.messageHref === null ? null : linkButton('Open the message', captured.messageHref);
  const { subject, attachments } = message;
  return {
    title: subject === '' ? '(no subject)' : shortened(subject, TITLE_CHARACTERS),
    lead: null,
    crumbs: [{ label: 'Captured mail', href: MAILBOX_PATH }],
    actions: html`${open}${linkButton('Download .eml', `${path}/message.eml`)}`,
    content: html`${card('Envelope', envelope(captured, message))}${bodyCard(path, message, asked)}${attachments.length === 0 ? null : fileCard(path, attachments)}`,
  };
}

function envelope({ mailFrom, to, receivedAt }: CapturedFacts, { headers, subject }: ReadableMessage): Html {
  const header = (name: string) => headers.find((one) => one.name.toLowerCase() === name)?.value ?? null;
  const shown = (name: string) => {
    const value = header(name);
    return value === null ? null : foreignText(shortened(value, LINE_CHARACTERS));
  };
  const lines = to.map((email) => html`<span class="line">${foreignText(email)}</span>`);
  const rest = lines.slice(RECIPIENTS_SHOWN);
  const recipients = html`${lines.slice(0, RECIPIENTS_SHOWN)}${rest.length === 0 ? null : html`<details class="more"><summary>and ${rest.length} more</summary>${rest}</details>`}`;
  return html`<div class="envelope">${facts([
    ['From', shown('from')],
    ['Subject', subject === '' ? null : foreignText(subject)],
    ['To', shown('to')],
    ['Cc', shown('cc')],
    ['Envelope from', foreignText(mailFrom)],
    ['Envelope to', recipients],
    ['Captured', time(receivedAt.toISOString())],
  ])}</div>`;
}

type View = 'displayed' | 'text' | 'source' | 'headers';

const VIEW_WORDS: Readonly<Record<View, string>> = {
  displayed: 'As displayed',
  text: 'Plain text',
  source: 'Source',
  headers: 'Headers',
};

export const MAILBOX_VIEWS = Object.keys(VIEW_WORDS);

function bodyCard(path: string, message: ReadableMessage, asked: string | null): Html {
  const views: readonly View[] = [
    ...(message.hasHtml ? (['displayed'] as const) : []),
    ...(message.text === null ? [] : (['text'] as const)),
    ...(['source', 'headers'] as const),
  ];
  const current = views.find((view) => view === asked) ?? views[0] ?? 'source';
  const links = views.map((view) => ({
    label: VIEW_WORDS[view],
    href: withQuery(path, { show: view }),
    isCurrent: view === current,
  }));
  return html`<section class="card"><header><h2>Message</h2>${chips('Forms of the message', links)}</header><div class="body">${viewOf(path, message, current)}</div></section>`;
}

function viewOf(path: string, { text, source, headers }: ReadableMessage, view: View): Html {
  switch (view) {
    case 'displayed':
      return html`<iframe class="mail-frame roomy" title="The message as it is displayed" sandbox="" src="${path}/html"></iframe>
<p class="small faint">Images from other servers and scripts are not loaded. Links and forms do nothing here.</p>`;
    case 'text':
      return sourceText(text ?? '', `${path}/text.txt`);
    case 'source':
      return sourceText(source, `${path}/message.eml`);
    case 'headers':
      return facts(headers.map(({ name, value }) => [name, html`<code>${foreignText(value)}</code>`] as const));
  }
}

function fileCard(path: string, files: readonly CapturedFileFacts[]): Html {
  const rows = files.map((file, index) => ({ ...file, index }));
  return flushCard(
    files.length === 1 ? '1 attachment' : `${files.length} attachments`,
    table({
      ...{ caption: 'Attached files', rows },
      columns: [
        {
          label: 'Name',
          kind: 'lead',
          cell: ({ filename }) => html`<span class="strong">${foreignText(filename)}</span>`,
        },
        { label: 'Type', cell: ({ contentType }) => html`<div class="least">${foreignText(contentType)}</div>` },
        { label: 'Size', kind: 'number', cell: ({ size }) => html`<span class="nowrap">${formatSize(size)}</span>` },
        {
          ...{ label: 'Download', isLabelUnseen: true },
          cell: ({ index, filename }) =>
            html`<a class="button small nowrap" href="${path}/files/${index}" download>Download<span class="unseen"> ${filename}</span></a>`,
        },
      ],
    }),
  );
}

function shortened(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}…`;
}
