import { type Approval, foldAddress, LIMITS, REJECT_CODES } from '@postrider/core';
import { cut, type Finding, type MessageReview, type ReviewedLink, reviewMessage } from '@postrider/review';
import { renderUserPage } from '../../console/user-page.ts';
import { addressOf } from '../../events/without-content.ts';
import { type Html, html } from '../../html/page-markup.ts';
import { formatTime, timeLeft } from '../../html/time-words.ts';
import { findMessageHosts } from '../../links/link-hosts.ts';
import { hostOfAddress, isForeign } from '../../links/mail-addresses.ts';
import { threadJob } from '../../threads/thread-job.ts';
import { serveFile } from '../held-file.ts';
import { formatSize, REASON_SENTENCES } from '../hold-words.ts';

export interface ShownApproval {
  readonly approval: Approval;
  readonly token: string;
  /** The time of rendering, passed in because a thread has no clock. */
  readonly now: string;
}

/** Renders the page of a held message in a thread, because its bodies are searched for links and escaped. */
export const APPROVAL_PAGE = threadJob(import.meta.url, 'APPROVAL_PAGE', renderApprovalPage);

/** The complete held message and the two decision buttons. */
function renderApprovalPage(shown: ShownApproval): string {
  const { approval } = shown;
  const review = reviewMessage(approval);
  return renderUserPage(
    'Send this email?',
    html`${senderFacts(shown)}
${warnings(review.findings)}
<h2>Why it needs approval</h2>
<ul>${approval.reasons.map((reason) => html`<li>${REASON_SENTENCES[reason]}</li>`)}</ul>
<dl class="facts">${factsOf(approval)}</dl>
${blindCopies(approval)}
${message(shown)}
${linkFacts(approval, review)}
${files(shown)}
${decision(approval)}`,
    { isWide: true },
  );
}

function senderFacts({ approval, now }: ShownApproval): Html {
  const { agentName, keyName, expiresAt } = approval;
  const key = keyName === null ? html`a key that was deleted` : html`the key <b>${keyName}</b>`;
  const sender = agentName === null ? key : html`<b>${agentName}</b>, with ${key},`;
  const end = new Date(expiresAt);
  return html`<p>It was sent by ${sender} and is waiting for your decision. Nothing has been delivered.
It expires <b>${timeLeft(end, new Date(now))}</b>, on <time datetime="${expiresAt}">${formatTime(end)}</time>.</p>`;
}

function factsOf({ from, replyTo, to, cc, subject, scheduledAt, headers, unsubscribe }: Approval): readonly Html[] {
  return [
    fact('Subject', html`<b>${subject}</b>`),
    fact('From', html`${from}`),
    ...(replyTo === null ? [] : [fact('Reply to', html`${replyTo}`)]),
    ...(to.length === 0 ? [] : [fact('To', lines(to))]),
    ...(cc.length === 0 ? [] : [fact('Cc', lines(cc))]),
    ...(scheduledAt === null
      ? []
      : [fact('Send at', html`<time datetime="${scheduledAt}">${formatTime(new Date(scheduledAt))}</time>`)]),
    ...(unsubscribe ? [fact('Unsubscribe', html`A one-click unsubscribe link for each recipient is added.`)] : []),
    ...Object.entries(headers ?? {}).map(([name, value]) => fact(`Header ${name}`, html`${value}`)),
  ];
}

function fact(name: string, value: Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function lines(values: readonly string[]): Html {
  return html`${values.map((value) => html`<span class="line">${value}</span>`)}`;
}

function blindCopies({ bcc }: Approval): Html {
  if (bcc.length === 0) return html``;
  return html`<div class="caution" id="bcc"><p><b>Blind copies</b>, which the other recipients do not see:</p>${lines(bcc)}</div>`;
}

function message({ approval: { text, html: body }, token }: ShownApproval): Html {
  const asHtml = html`<details open><summary>As the recipients see it</summary>
<p class="note">Pictures from other servers are not loaded, and links do nothing here.</p>
<iframe sandbox title="The message as its recipients see it" src="/approvals/${token}/html"></iframe></details>`;
  const asText = html`<details ${{ markup: body === null ? 'open' : '' }}><summary>Plain text</summary><pre>${text ?? ''}</pre></details>`;
  return html`<h2>The message</h2>${body === null ? html`` : asHtml}${text === null || text === '' ? html`` : asText}`;
}

function linkFacts(approval: Approval, { html: ofHtml, text: ofText }: MessageReview): Html {
  const found = ((ofHtml ?? ofText)?.links ?? []).filter(({ kind }) => kind !== 'image');
  const places = placesOf(approval);
  return html`<h2>Links</h2>
${
  places.length === 0
    ? html`<p>It has no links.</p>`
    : html`<p>Its links, pictures and addresses lead to:</p><ul id="places">${places.map((place) => html`<li><span class="address">${place}</span></li>`)}</ul>`
}
${
  found.length === 0
    ? html``
    : html`<details><summary>Every link (${found.length})</summary><ul>${found.map(linkFact)}</ul></details>`
}`;
}

const LINK_TEXT_CHARACTERS = 120;
const TARGET_CHARACTERS = 500;

function linkFact({ kind, text, target }: ReviewedLink): Html {
  const said =
    kind === 'form' ? html`A form` : text === '' ? html`(no text)` : html`“${cut(text, LINK_TEXT_CHARACTERS)}”`;
  return html`<li>${said} opens <span class="address">${cut(target, TARGET_CHARACTERS)}</span></li>`;
}

/** Warnings that the page shows above the message; more would not be read. */
const WARNINGS_MAX = 20;

function warnings(findings: readonly Finding[]): Html {
  const urgent = findings.filter(({ level }) => level !== 'note');
  const left = urgent.length - WARNINGS_MAX;
  return html`${urgent.slice(0, WARNINGS_MAX).map(warn)}${left > 0 ? html`<p class="caution" role="alert">And ${left} more.</p>` : html``}`;
}

function warn({ kind, message, text, target }: Finding): Html {
  const title =
    kind === 'text-differs' && target !== null ? html`<b>A link names one site and opens another.</b> ` : html``;
  const said = text === '' ? html`` : html` It reads “${text}”${target === null ? '.' : ''}`;
  const opens = html`${text === '' ? ' It' : ' and'} opens <span class="address">${target ?? ''}</span>`;
  return html`<p class="caution" role="alert">${title}${message}${said}${target === null ? html`` : opens}</p>`;
}

/** The hosts and addresses that are not the message's own, including those in headers. */
function placesOf({ text, html: body, subject, from, to, cc, bcc, replyTo, headers }: Approval): readonly string[] {
  const read = [subject, from, replyTo ?? ''];
  const { hosts, addresses, unreadable } = findMessageHosts({ html: body, text, lines: read, headers: headers ?? {} });
  const own = {
    addresses: new Set([...to, ...cc, ...bcc].map((mailbox) => foldAddress(addressOf(mailbox)))),
    domain: hostOfAddress(addressOf(from)),
  };
  const foreign = addresses.filter((address) => isForeign(address, own));
  return [...hosts, ...foreign, ...(unreadable ? ['an address that cannot be parsed'] : [])];
}

function files({ approval: { attachments }, token }: ShownApproval): Html {
  if (attachments.length === 0) return html``;
  const items = attachments.map(({ filename, contentType, size }, index) => {
    const { isShown } = serveFile(filename, contentType);
    const href = `/approvals/${token}/files/${index}`;
    const opening = isShown ? html`Open` : html`Download`;
    const caution = isShown
      ? html``
      : html`<small>Your browser does not show this type. Open it only if you expect it.</small>`;
    return html`<li><b>${filename}</b> <span class="note">${contentType}, ${formatSize(size)}</span>
<a href="${href}" target="_blank" rel="noopener noreferrer">${opening} <span class="unseen">${filename}</span></a>${caution}</li>`;
  });
  return html`<h2>${attachments.length === 1 ? 'Attached file' : `${attachments.length} attached files`}</h2><ul class="files">${items}</ul>`;
}

const REJECTIONS: Readonly<Record<(typeof REJECT_CODES)[number], string>> = {
  wrong_recipient: 'The recipients are wrong',
  wrong_content: 'The content is wrong',
  not_needed: 'It is not needed',
  policy: 'It is against our policy',
  other: 'Another reason',
};

/** The first button of the form is disabled, because pressing Enter in the note submits the first button and must not approve. */
function decision({ contentHash }: Approval): Html {
  return html`<form method="post" class="decision"><input type="submit" value="Choose below" disabled hidden><input type="hidden" name="contentHash" value="${contentHash ?? ''}">
<h2>Your decision</h2>
<label for="note">Note to the sender (optional)</label>
<input id="note" name="note" maxlength="${LIMITS.approvalNoteCharacters}" autocomplete="off">
<button type="submit" name="decision" value="approve">Approve and send</button>
<details><summary>Reject it instead</summary>
<label for="rejectCode">Why</label>
<select id="rejectCode" name="rejectCode">${REJECT_CODES.map((code) => html`<option value="${code}">${REJECTIONS[code]}</option>`)}</select>
<button class="quiet" type="submit" name="decision" value="reject">Reject: do not send it</button></details></form>`;
}
