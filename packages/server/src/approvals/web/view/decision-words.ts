import type { RejectCode } from '@postrider/core';

/** The labels of the two notes differ, because the box of a rejection can be open beside the note of an approval. */
export const APPROVAL_NOTE = 'Approval note (optional)';
export const REJECTION_NOTE = 'Rejection note (optional)';
export const NOTE_HINT = 'The sender can read it.';

/** Why a person rejects a message, as the sender reads it. */
export const REJECTIONS: Readonly<Record<RejectCode, string>> = {
  wrong_recipient: 'The recipients are wrong',
  wrong_content: 'The content is wrong',
  not_needed: 'It is not needed',
  policy: 'It is against our policy',
  other: 'Another reason',
};
