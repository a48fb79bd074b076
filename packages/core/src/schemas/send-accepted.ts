import { z } from 'zod';
import { idSchema, timestampSchema } from './identifiers.ts';
import { reasonsSchema } from './message-approval.ts';

export const acceptedStatusSchema = z
  .enum(['queued', 'pending_approval'])
  .describe(
    '`queued` on acceptance; `pending_approval` where the key’s approval mode holds it until a person decides.',
  );

/** What an accepted send says beside that where it is held. */
export const heldFields = {
  approvalId: idSchema.optional().describe('Of a held send: read it by `GET /keys/approvals/:id`.'),
  reasons: reasonsSchema.optional(),
  expiresAt: timestampSchema.optional().describe('Of a held send: when it ends if nobody decides.'),
};

/** What an accepted send is answered with. */
export const sendAcceptedSchema = z
  .object({ id: idSchema, status: acceptedStatusSchema, ...heldFields })
  .meta({ id: 'SendAccepted' });
