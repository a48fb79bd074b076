import { LIMITS } from '@postrider/core';
import { attributes, type Html, html } from '../../../html/page-markup.ts';
import { button, linkButton } from '../../../ui/components/button.ts';
import { checkbox, faultOf, textField } from '../../../ui/components/field.ts';
import { card, notice } from '../../../ui/components/surfaces.ts';
import { NOTE_FIELDS } from '../decision-form.ts';
import { APPROVAL_NOTE, NOTE_HINT, REJECTION_NOTE } from './decision-words.ts';
import { isFullyChecked } from './held-links.ts';
import { timeToDecide } from './hold-times.ts';
import { rejectReason, rejectSummary } from './reject-reason.ts';
import type { HeldView } from './shown-hold.ts';
import { approveLabel, canApprove, rememberHint } from './voting-words.ts';

/** What goes along with an approval. Its button is in the bar. */
export function decisionCard(view: HeldView): Html {
  const remember = view.mayRemember
    ? checkbox({
        name: 'remember',
        label: 'Remember these recipients',
        hint: rememberHint(view.approval),
      })
    : null;
  const note = textField({
    ...{ name: NOTE_FIELDS.approve, label: APPROVAL_NOTE, value: typedNote(view, 'approve'), hint: NOTE_HINT },
    maxLength: LIMITS.approvalNoteCharacters,
  });
  return card(
    'Your decision',
    html`${unchecked(view)}${passkeyWords(view.approval)}<form id="approve"${attributes(approving(view))}>${guard()}${hash(view)}<div class="stack-tight">${note}${remember}</div></form>`,
  );
}

/** Always in reach: at the bottom of the window while the message is read. */
export function decisionBar(view: HeldView): Html {
  const { base, approval, now } = view;
  const warning = isFullyChecked(view.reading.review) ? null : html`<b class="small">Not completely checked</b>`;
  return html`<div class="decision-bar" role="group" aria-label="Decision">${warning}<span class="small soft">Expires ${timeToDecide(approval.expiresAt, now)}</span>
<div class="actions">${rejection(view)}${view.voting.mayApprove ? linkButton('Edit', `${base}/edit`, { key: 'e' }) : null}${canApprove(view) ? button(approveLabel(approval), { kind: 'primary', key: 'a', form: 'approve', name: 'decision', value: 'approve' }) : null}</div></div>`;
}

/** Beside the decision, because the warnings above the message are out of sight by then. */
function unchecked({ reading: { review } }: HeldView): Html | null {
  if (isFullyChecked(review)) return null;
  return notice(
    'warn',
    'This message was not checked completely',
    'It may have deceptive links or hidden text that are not listed. Approve it only if you trust its sender.',
  );
}

function rejection(view: HeldView): Html {
  const fault = faultOf(view.errors, 'rejectCode');
  const open = fault === null ? null : html` open`;
  const note = textField({
    ...{ name: NOTE_FIELDS.reject, label: REJECTION_NOTE, value: typedNote(view, 'reject'), hint: NOTE_HINT },
    maxLength: LIMITS.approvalNoteCharacters,
  });
  return html`<details class="popover upward"${open}>${rejectSummary()}<div><form class="stack-tight"${attributes(undoable(view))}>${guard()}${hash(view)}${rejectReason(fault)}${note}${button('Reject: do not send it', { kind: 'danger', name: 'decision', value: 'reject' })}</form></div></details>`;
}

/** The reason of a rejection must not be sent with an approval, so each form has the note that was typed into it. */
function typedNote({ refused }: HeldView, decision: 'approve' | 'reject'): string {
  return refused?.decision === decision ? refused.note : '';
}

/** An approval that needs a passkey has no undo: confirming it takes a deliberate step. */
function approving(view: HeldView) {
  if (!view.approval.approvers.requirePasskey) return undoable(view);
  return { method: 'post', action: view.base, 'data-passkey': 'approve', 'data-host': view.passkeyHost };
}

/** What the approver needs, before they press the button. */
export function passkeyWords({ approvers }: Pick<HeldView['approval'], 'approvers'>): Html | null {
  if (!approvers.requirePasskey) return null;
  return html`<p class="small soft">Approving this needs your <a href="/auth/passkeys">passkey</a>. Rejecting does not.</p>`;
}

function undoable({ approval, base, next }: HeldView) {
  return {
    ...{ method: 'post', action: base },
    'data-undo': approval.id,
    'data-subject': approval.subject,
    'data-next': next,
  };
}

/** Enter in a text field presses the first button of its form, which must not decide. */
function guard(): Html {
  return html`<input type="submit" value="Choose a button" disabled hidden>`;
}

function hash({ approval: { contentHash } }: HeldView): Html {
  return html`<input type="hidden" name="contentHash" value="${contentHash ?? ''}">`;
}
