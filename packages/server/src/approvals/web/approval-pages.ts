import type { Approval } from '@postrider/core';
import { renderUserPage, USER_PAGE_POLICY } from '../../console/user-page.ts';
import { html } from '../../html/page-markup.ts';
import { formatTime } from '../../html/time-words.ts';

/** The page's own policy, plus the frame that shows the message's HTML. */
export const APPROVAL_PAGE_POLICY = `${USER_PAGE_POLICY}; frame-src 'self'`;

/**
 * For a file from a sender: nothing in it runs or loads anything. Browsers' PDF viewers need no source, but do not start in a `sandbox`.
 */
export const HELD_FILE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; object-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** For HTML from a sender: styles and embedded images show, nothing runs, and nothing is loaded, so the sender cannot detect the view. */
export const HELD_BODY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox";

export function renderDecidedPage(approval: Approval): string {
  const { outcome, problem } = approval;
  if (outcome === 'failed') {
    return renderUserPage(
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
            : `will be sent on ${formatTime(new Date(approval.scheduledAt))}, or now if that is past.`,
        ]
      : ['Rejected', 'will not be sent. Its sender is notified.'];
  return renderUserPage(title, html`<p role="status">“${approval.subject}” ${said}</p><p>You can close this page.</p>`);
}

/** For a hold that was already decided, by this link or otherwise. */
export function renderAlreadyDecidedPage(status: string): string {
  const said: Readonly<Record<string, string>> = {
    approved: 'It was approved.',
    rejected: 'It was rejected and not sent.',
    expired: 'It expired before anyone decided, and was not sent.',
    withdrawn: 'Its sender withdrew it, and it was not sent.',
  };
  return renderUserPage('Nothing is left to decide', html`<p role="status">${said[status] ?? ''}</p>`);
}

export function renderBusyPage(): string {
  return renderUserPage(
    'The server is busy',
    html`<p role="status">Nothing was changed. Load this page again in a moment.</p>`,
  );
}

export function renderUnknownApprovalPage(): string {
  return renderUserPage(
    'This link does not work',
    html`<p>It is incomplete, or it was made for someone who can no longer decide. Nothing was changed.</p>`,
  );
}

/** For an invalid decision. */
export function renderUndecidedPage(detail: string): string {
  return renderUserPage('Nothing was decided', html`<p role="alert">${detail} Go back and try again.</p>`);
}
