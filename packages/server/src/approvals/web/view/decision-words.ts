import type { RejectCode } from '@postrider/core';

/** Why a person rejects a message, as the sender reads it. */
export const REJECTIONS: Readonly<Record<RejectCode, string>> = {
  wrong_recipient: 'The recipients are wrong',
  wrong_content: 'The content is wrong',
  not_needed: 'It is not needed',
  policy: 'It is against our policy',
  other: 'Another reason',
};
