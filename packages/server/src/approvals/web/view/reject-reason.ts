import { REJECT_CODES, REJECTIONS } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { select } from '../../../ui/components/field.ts';

/** Why it is rejected. None is preselected, because the sender will see the reason. */
export function rejectReason(fault: string | null): Html {
  const reasons = REJECT_CODES.map((value) => ({ value, label: REJECTIONS[value] }));
  const options = [{ value: '', label: 'Choose a reason' }, ...reasons];
  return select({ name: 'rejectCode', label: 'Why', options, isRequired: true, fault });
}

/** Opens and closes the form of a rejection. While it is open, the bar has no other button that decides. */
export function rejectSummary(): Html {
  return html`<summary class="button danger" data-key="r" aria-keyshortcuts="r"><span class="if-closed">Reject <kbd aria-hidden="true">r</kbd></span><span class="if-open">Cancel</span></summary>`;
}
