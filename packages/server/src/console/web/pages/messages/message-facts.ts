import { type Message, RECIPIENT_KINDS, type RecipientKind } from '@postrider/core';
import { type Html, type HtmlValue, html } from '../../../../html/page-markup.ts';
import { statusBadge } from '../../../../ui/components/badge.ts';
import { facts } from '../../../../ui/components/facts.ts';
import { foreignText } from '../../../../ui/components/foreign-text.ts';
import { card, copyable, flushCard } from '../../../../ui/components/surfaces.ts';
import { table } from '../../../../ui/components/table.ts';
import { time } from '../../../../ui/components/time.ts';
import { withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { LOG_PATH } from './message-log-state.ts';
import { CHANNEL_WORDS, SOURCE_WORDS } from './message-words.ts';

const SUBJECT_CHARACTERS = 120;

/** Where a message is from and what belongs to it. */
export async function messageFacts(message: Message, request: PageRequest): Promise<Html> {
  const { from, subject, replyTo, createdAt, scheduledAt, tags, metadata, id, resendOf, template, agentName } = message;
  const about = facts([
    ['From', foreignText(from)],
    // The heading shows the beginning of a long one.
    ['Subject', subject.length > SUBJECT_CHARACTERS ? foreignText(subject) : null],
    ['Reply to', replyTo === null ? null : foreignText(replyTo)],
    ['Accepted', time(createdAt)],
    ['Scheduled for', scheduledAt === null ? null : time(scheduledAt)],
    ['Tags', tags.length === 0 ? null : tagList(tags)],
  ]);
  const origin = facts([
    ['Channel', CHANNEL_WORDS[message.channel]],
    ['Source', SOURCE_WORDS[message.source]],
    [
      'Agent',
      agentName === null
        ? null
        : html`<a href="${withQuery(LOG_PATH, { agent_name: agentName })}">${foreignText(agentName)}</a>`,
    ],
    ['Key', await keyFact(message, request)],
    ['Template', template === null ? null : foreignText(template)],
    ['Resend of', resendOf === null ? null : html`<a href="${LOG_PATH}/${resendOf}">The first message</a>`],
    ['Approval', approvalFact(message, request)],
    [
      'Captured',
      request.mode === 'development'
        ? html`<a href="${withQuery('/console/mailbox', { message: id })}">Captured mail</a>`
        : null,
    ],
  ]);
  const entries = Object.entries(metadata).map(([name, value]) => [name, foreignText(value)] as const);
  const idPart = html`<div class="stack-tight"><span class="faint">Message id</span>${copyable(id, 'Copy the message id')}</div>`;
  return html`<div class="stack side-facts">${card('Message', html`${about}${idPart}`)}${card('Origin', origin)}${entries.length === 0 ? null : card('Metadata', facts(entries))}</div>`;
}

function tagList(tags: readonly string[]): Html {
  const links = tags.map((tag) => html`<a class="tag" href="${withQuery(LOG_PATH, { tag })}">${foreignText(tag)}</a>`);
  return html`<div class="tags">${links}</div>`;
}

/** The key that sent it, or the user. Null for a role that may not see keys. */
async function keyFact({ keyId, keyName }: Message, request: PageRequest): Promise<HtmlValue> {
  if (keyId === null) return null;
  if (keyName !== null)
    return request.may('keys.get')
      ? html`<a href="/console/keys/${keyId}">${foreignText(keyName)}</a>`
      : foreignText(keyName);
  const team = request.may('team.list') ? await request.attempt('team.list') : null;
  const member = team?.ok === true ? team.body.members.find(({ id }) => id === keyId) : undefined;
  return member === undefined
    ? 'A user of this account'
    : html`${foreignText(member.name ?? member.email)} <span class="faint">(a user)</span>`;
}

function approvalFact({ approval }: Message, request: PageRequest): HtmlValue {
  if (approval === null) return null;
  const { id, status, edited } = approval;
  const badge = statusBadge(status);
  const changed = edited.length === 0 ? null : html` <span class="small faint">changed: ${edited.join(', ')}</span>`;
  return request.may('approvals.get')
    ? html`${badge} <a href="/console/approvals/${id}">Open</a>${changed}`
    : html`${badge}${changed}`;
}

const KIND_WORDS: Readonly<Record<RecipientKind, string>> = { to: 'To', cc: 'Cc', bcc: 'Bcc' };

/** Every recipient with the status of its own copy. Blind copies are set apart, because the others do not see them. */
export function recipientCards({ recipients, redacted }: Message): Html {
  const open = recipients.filter(({ kind }) => kind !== 'bcc');
  const blind = recipients.filter(({ kind }) => kind === 'bcc');
  const hidden = redacted.includes('bcc')
    ? html`<p class="small faint padded">Your role does not include blind copies of this message.</p>`
    : null;
  const apart =
    blind.length === 0
      ? null
      : flushCard(
          html`Blind copies <span class="small faint">(the other recipients do not see them)</span>`,
          recipientTable(blind, 'Blind copies'),
        );
  return html`${flushCard(open.length === 1 ? 'Recipient' : `${open.length} recipients`, html`${recipientTable(open, 'Recipients')}${hidden}`)}${apart}`;
}

type Recipient = Message['recipients'][number];

function recipientTable(recipients: readonly Recipient[], caption: string): Html {
  const ordered = RECIPIENT_KINDS.flatMap((kind) => recipients.filter((recipient) => recipient.kind === kind));
  return table<Recipient>({
    ...{ caption, rows: ordered, idOf: ({ kind, email }) => `recipient-${kind}-${encodeURIComponent(email)}` },
    columns: [
      { label: 'Address', kind: 'lead', cell: ({ email }) => html`<span class="strong">${foreignText(email)}</span>` },
      { label: 'Field', cell: ({ kind }) => KIND_WORDS[kind] },
      { label: 'Status', cell: ({ status }) => statusBadge(status) },
    ],
  });
}
