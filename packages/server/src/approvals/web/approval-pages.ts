import { type Approval, votesInWords } from '@postrider/core';
import { type ConfirmationForm, confirmationForm } from '../../auth/passkeys/web/confirmation-form.ts';
import { type Html, html } from '../../html/page-markup.ts';
import { formatTime } from '../../html/time-words.ts';
import { notice } from '../../ui/components/surfaces.ts';
import { PAGE_POLICY } from '../../ui/page-document.ts';
import { renderSinglePage } from '../../ui/single-page.ts';
import type { EditPage } from './edit-pages.ts';
import { decidedNotice } from './view/decided-words.ts';
import { senderOf } from './view/held-envelope.ts';

/** Scripts, styles and frames of this server only. */
export const APPROVAL_PAGE_POLICY = PAGE_POLICY;

/** @param view the held message with its decision */
export function renderHeldPage(approval: Approval, view: Html): string {
  return renderSinglePage(
    'Send this email?',
    html`<p class="soft">It was requested by ${senderOf(approval)} and is waiting for your decision.</p>${view}`,
    { isWide: true, hasScript: true },
  );
}

export function renderEditPage({ title, content }: EditPage): string {
  return renderSinglePage(title, content, { isWide: true, hasScript: true });
}

/** Before an approval that needs a passkey. */
export function renderConfirmPage(form: Omit<ConfirmationForm, 'detail' | 'label'>): string {
  const detail = 'Approving this email needs your passkey. Nothing has been decided.';
  return short('Confirm with your passkey', confirmationForm({ ...form, detail, label: 'Approve with your passkey' }));
}

export function renderDecidedPage(approval: Approval): string {
  const { outcome, problem } = approval;
  if (outcome === 'failed') {
    return short(
      'It could not be sent',
      html`<p role="status">You approved “${approval.subject}”, but it can no longer be sent: ${problem?.detail ?? ''}</p>`,
    );
  }
  const [title, said] =
    approval.status === 'approved'
      ? [
          'Approved',
          approval.scheduledAt === null
            ? 'is being sent.'
            : `will be sent on ${formatTime(new Date(approval.scheduledAt))}, or immediately if that time has passed.`,
        ]
      : ['Rejected', 'will not be sent. Its sender is notified.'];
  return short(title, html`<p role="status">“${approval.subject}” ${said}</p><p>You can close this page.</p>`);
}

/** For an approval before the last one. */
export function renderRecordedPage(approval: Approval): string {
  return short(
    'Your approval is recorded',
    html`<p role="status">“${approval.subject}”</p><p>${votesInWords(approval)} The message is sent after the last approval.</p><p>You can close this page.</p>`,
  );
}

/** For a link to a revision that another approver has edited since. */
export function renderOutdatedPage(approval: Approval, console: string): string {
  return short(
    'This message was edited',
    html`<p>Another approver edited “${approval.subject}” after you got this link, so the link no longer works. You will get a new mail about it.</p><p><a class="button" href="${console}">Open it in the console</a></p>`,
  );
}

/** For a hold that was already decided, by this link or otherwise. */
export function renderAlreadyDecidedPage(approval: Approval, decider: string | null): string {
  return short('Already decided', html`<p>“${approval.subject}”</p>${decidedNotice(approval, decider)}`);
}

export function renderBusyPage(): string {
  return short('The server is busy', html`<p role="status">Nothing was changed. Load this page again in a moment.</p>`);
}

export function renderUnknownApprovalPage(): string {
  return short(
    'This link does not work',
    html`<p>It is incomplete, or it was made for someone who can no longer decide. Nothing was changed.</p>`,
  );
}

/** For an invalid decision. */
export function renderUndecidedPage(detail: string): string {
  return short('Nothing was decided', notice('bad', detail, 'Load the page again, look at the email, and decide.'));
}

function short(title: string, content: Html): string {
  return renderSinglePage(title, content, { hasScript: true });
}
