import type { HoldReason, RejectCode } from './schemas/hold.ts';

/** Why an email waits for approval, as approvers read it on the page, in mail and in the view of a client. */
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

/** Why a person rejects a message, as the sender reads it. */
export const REJECTIONS: Readonly<Record<RejectCode, string>> = {
  wrong_recipient: 'The recipients are wrong',
  wrong_content: 'The content is wrong',
  not_needed: 'It is not needed',
  policy: 'It is against our policy',
  other: 'Another reason',
};
