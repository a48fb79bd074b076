import { type Approval, foldAddress, LIMITS, REJECT_CODES } from '@postrider/core';
import { PERSON_PAGE_POLICY, renderPersonPage } from '../../console/person-page.ts';
import { addressOf } from '../../events/without-content.ts';
import { type Html, html } from '../../html/page-markup.ts';
import { findMessageHosts } from '../../links/link-hosts.ts';
import { hostOfAddress, isForeign } from '../../links/mail-addresses.ts';
import { threadJob } from '../../threads/thread-job.ts';

/** The page's own policy, and the frame that the message's HTML shows in. */
export const APPROVAL_PAGE_POLICY = `${PERSON_PAGE_POLICY}; frame-src 'self'`;

/** A stranger's HTML: styles and embedded images show, nothing runs, nothing is loaded, so that looking at it tells nobody. */
export const HELD_BODY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox";

export interface ShownApproval {
  readonly approval: Approval;
  readonly token: string;
}

/** The page of a held message: its bodies are read for links, and escaped. */
export const APPROVAL_PAGE = threadJob(import.meta.url, 'APPROVAL_PAGE', renderApprovalPage);

/**
 * Everything that is to be seen of a held message, and the two buttons. The first button of the form is disabled: the Enter key in the
 * note presses the first, and must not approve.
 */
function renderApprovalPage({ approval, token }: ShownApproval): string {
  const { subject, from, text, html: body, attachments, reasons, keyName, agentName } = approval;
  const { to, cc, bcc, replyTo, headers, unsubscribe } = approval;
  return renderPersonPage(
    'Send this email?',
    html`<p>It is held by ${reasons.join(', ')} until ${approval.expiresAt}. Nothing was sent.</p>
${line('From', from)}${line('Reply to', replyTo ?? '')}${line('To', to.join(', '))}${line('Cc', cc.join(', '))}${line('Bcc', bcc.join(', '))}
${Object.entries(headers ?? {}).map(([name, value]) => line(`Header ${name}`, value))}${line('Unsubscribing', unsubscribe ? 'a link of their own for each recipient' : '')}
${line('Subject', subject)}${line('Sent by', agentName === null ? (keyName ?? '') : `${agentName} (key ${keyName ?? ''})`)}
${line('To go at', approval.scheduledAt ?? '')}
${line('Files', attachments.map(({ filename, contentType, size }) => `${filename} (${contentType}, ${size} bytes)`).join(', '))}
${line('Leads to', leadsTo(approval))}
${text === null ? html`` : html`<details open><summary>Text</summary><pre>${text}</pre></details>`}
${body === null ? html`` : html`<details open><summary>HTML</summary><iframe sandbox title="The message" src="/approvals/${token}/html" width="100%" height="480"></iframe></details>`}
<form method="post"><input type="submit" value="Choose below" disabled hidden><input type="hidden" name="contentHash" value="${approval.contentHash ?? ''}">
<label for="note">A note for whoever sent it (optional)</label>
<input id="note" name="note" maxlength="${LIMITS.approvalNoteCharacters}">
<button type="submit" name="decision" value="approve">Approve: send it</button>
<label for="rejectCode">If you reject it: why</label>
<select id="rejectCode" name="rejectCode">${REJECT_CODES.map((code) => html`<option value="${code}">${code.replaceAll('_', ' ')}</option>`)}</select>
<button class="quiet" type="submit" name="decision" value="reject">Reject: do not send it</button></form>`,
  );
}

/** Where its links go: a browser shows the message, and not what is behind its words. */
function leadsTo({ text, html: body, subject, from, to, cc, bcc, replyTo, headers }: Approval): string {
  const lines = [subject, from, replyTo ?? ''];
  const { hosts, addresses, unreadable } = findMessageHosts({ html: body, text, lines, headers: headers ?? {} });
  const own = {
    addresses: new Set([...to, ...cc, ...bcc].map((mailbox) => foldAddress(addressOf(mailbox)))),
    domain: hostOfAddress(addressOf(from)),
  };
  const foreign = addresses.filter((address) => isForeign(address, own));
  return [...hosts, ...foreign, ...(unreadable ? ['a place that cannot be read'] : [])].join(', ');
}

function line(name: string, value: string): Html {
  return value === '' ? html`` : html`<p><b>${name}:</b> ${value}</p>`;
}

export function renderDecidedPage(approval: Approval): string {
  const { outcome, problem } = approval;
  if (outcome === 'failed') {
    return renderPersonPage(
      'It could not be sent',
      html`<p role="status">You approved “${approval.subject}”, but the rules refuse it by now: ${problem?.detail ?? ''}</p>`,
    );
  }
  const [title, said] =
    approval.status === 'approved'
      ? [
          'Approved',
          approval.scheduledAt === null ? 'is on its way.' : `goes at ${approval.scheduledAt}, or now if that is past.`,
        ]
      : ['Rejected', 'is not sent. Whoever sent it is told.'];
  return renderPersonPage(
    title,
    html`<p role="status">“${approval.subject}” ${said}</p><p>You can close this page.</p>`,
  );
}

/** The hold was decided before, by this link or otherwise. */
export function renderAlreadyDecidedPage(status: string): string {
  const said: Readonly<Record<string, string>> = {
    approved: 'It was approved.',
    rejected: 'It was rejected, and not sent.',
    expired: 'Nobody decided in time, and it was not sent.',
    withdrawn: 'It was taken back, and not sent.',
  };
  return renderPersonPage('Nothing is left to decide', html`<p role="status">${said[status] ?? ''}</p>`);
}

export function renderBusyPage(): string {
  return renderPersonPage(
    'Too much is being read right now',
    html`<p role="status">Nothing was changed. Load this page again in a moment.</p>`,
  );
}

export function renderUnknownApprovalPage(): string {
  return renderPersonPage(
    'This link does not work',
    html`<p>It is incomplete, or was made for somebody who does not decide here any more. Nothing was changed.</p>`,
  );
}

/** Something about the decision cannot be taken as it is. */
export function renderUndecidedPage(detail: string): string {
  return renderPersonPage('Nothing was decided', html`<p role="alert">${detail} Go back and try again.</p>`);
}
