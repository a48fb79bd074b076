import { LIMITS } from '@postrider/core';
import { NOTE_FIELDS } from '../../../../approvals/web/decision-form.ts';
import { REJECTION_NOTE } from '../../../../approvals/web/view/decision-words.ts';
import { rejectReason, rejectSummary } from '../../../../approvals/web/view/reject-reason.ts';
import { type Html, html } from '../../../../html/page-markup.ts';
import { button } from '../../../../ui/components/button.ts';
import { textField } from '../../../../ui/components/field.ts';
import { APPROVALS } from './paths.ts';

/**
 * The inbox with what decides several messages at once. The bar appears when one is ticked.
 * @param refused what was wrong with the reason of a rejection, and the note that was typed
 */
export function inboxForm(list: Html, refused: { readonly fault: string; readonly note: string } | null): Html {
  const note = textField({
    name: NOTE_FIELDS.reject,
    label: REJECTION_NOTE,
    hint: 'The senders can read it.',
    value: refused?.note ?? '',
    maxLength: LIMITS.approvalNoteCharacters,
  });
  return html`<form method="post" action="${APPROVALS}" class="inbox-form" data-undo="several"><input type="submit" value="Choose a button" disabled hidden>${list}
<div class="bulk decision-bar" role="group" aria-label="Decision about the ticked messages"><span class="small soft" data-ticked>The ticked messages:</span><div class="actions">
<details class="popover upward"${refused === null ? null : html` open`}>${rejectSummary()}<div class="stack-tight">${rejectReason(refused?.fault ?? null)}${note}${button('Reject: do not send them', { kind: 'danger', name: 'decision', value: 'reject' })}</div></details>
${button('Approve and send', { kind: 'primary', key: 'a', name: 'decision', value: 'approve', isUnchecked: true })}</div></div></form>`;
}
