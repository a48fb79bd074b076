import { LIMITS, REJECT_CODES } from '@postrider/core';
import { REJECTIONS } from '../../../../approvals/web/view/decision-words.ts';
import { type Html, html } from '../../../../html/page-markup.ts';
import { button } from '../../../../ui/components/button.ts';
import { select, textField } from '../../../../ui/components/field.ts';
import { APPROVALS } from './paths.ts';

/** The inbox with what decides several messages at once. The bar appears when one is ticked. */
export function inboxForm(list: Html): Html {
  const options = REJECT_CODES.map((value) => ({ value, label: REJECTIONS[value] }));
  const reason = select({ name: 'rejectCode', label: 'Why', options });
  const note = textField({
    name: 'note',
    label: 'What should the senders know? (optional)',
    maxLength: LIMITS.approvalNoteCharacters,
  });
  return html`<form method="post" action="${APPROVALS}" class="inbox-form" data-undo="several"><input type="submit" value="Choose a button" disabled hidden>${list}
<div class="bulk decision-bar" role="group" aria-label="Decision about the ticked messages"><span class="small soft" data-ticked>The ticked messages:</span><div class="actions">
<details class="popover upward"><summary class="button danger" data-key="r" aria-keyshortcuts="r">Reject <kbd aria-hidden="true">r</kbd></summary><div class="stack-tight">${reason}${note}${button('Reject: do not send them', { kind: 'danger', name: 'decision', value: 'reject' })}</div></details>
${button('Approve and send', { kind: 'primary', key: 'a', name: 'decision', value: 'approve' })}</div></div></form>`;
}
