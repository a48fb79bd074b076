import { z } from 'zod';
import { idSchema, timestampSchema } from './identifiers.ts';
import { reasonsSchema } from './message-approval.ts';

export const acceptedStatusSchema = z
  .enum(['queued', 'pending_approval'])
  .describe(
    '`queued` on acceptance; `pending_approval` if the key’s approval mode holds the send until an approver decides.',
  );

/** The additional fields of an accepted send that is held. */
export const heldFields = {
  approvalId: idSchema.optional().describe('Only for a held send: read it with `GET /keys/approvals/:id`.'),
  reasons: reasonsSchema.optional(),
  expiresAt: timestampSchema.optional().describe('Only for a held send: when it expires if no one decides.'),
};

/** The response to an accepted send. */
export const sendAcceptedSchema = z
  .object({ id: idSchema, status: acceptedStatusSchema, ...heldFields })
  .meta({ id: 'SendAccepted' });
