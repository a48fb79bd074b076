import type { HoldReason } from '@postrider/core';

/** Why an email waits for approval, as shown to approvers on the page and in mail. */
export const REASON_SENTENCES: Readonly<Record<HoldReason, string>> = {
  always: 'Every email from this key needs approval.',
  firstContact: 'It is the first email to at least one of its recipients.',
  recipientDomainNotIn: 'At least one recipient is outside the domains that this key may write to.',
  recipientsOver: 'It has more recipients than this key may write to at once.',
  hasBcc: 'It has blind copies.',
  hasAttachments: 'It has files attached.',
  freeformBody: 'Its text is not only from a template that someone approved.',
  linkDomainNotIn: 'It links to a site outside the domains that this key may link to.',
};

const KILOBYTE = 1_000;

/** `12 bytes`, `34 KB`, `5.6 MB` */
export function formatSize(bytes: number): string {
  if (bytes < KILOBYTE) return `${bytes} byte${bytes === 1 ? '' : 's'}`;
  if (bytes < KILOBYTE ** 2) return `${Math.round(bytes / KILOBYTE)} KB`;
  return `${(bytes / KILOBYTE ** 2).toFixed(1)} MB`;
}
