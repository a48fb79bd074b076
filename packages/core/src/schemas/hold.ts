/** Why a send is held: `always`, or the rules of `holdWhen` that matched. */
export const HOLD_REASONS = [
  'always',
  'firstContact',
  'recipientDomainNotIn',
  'recipientsOver',
  'hasBcc',
  'hasAttachments',
  'freeformBody',
  'linkDomainNotIn',
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'withdrawn'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const REJECT_CODES = ['wrong_recipient', 'wrong_content', 'not_needed', 'policy', 'other'] as const;
export type RejectCode = (typeof REJECT_CODES)[number];

/** The fields of a held send that an approver can edit, named as in a send. */
export const EDITABLE_FIELDS = ['to', 'cc', 'bcc', 'subject', 'html', 'text', 'scheduled_at'] as const;
export type EditableField = (typeof EDITABLE_FIELDS)[number];
