import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { idSchema } from './identifiers.ts';

const REQUIRE_PASSKEY =
  'Whether an approval needs a passkey of the person who approves, on the page of the hold. Rejecting needs none.';
const COUNT = `How many people must approve, from 1 to ${LIMITS.approversPerHold}. With 2 or more, keys cannot approve, and an edit restarts the count. One rejection is enough.`;
const MEMBER_IDS = 'The members who can approve and who get the mail. If set, no one else can approve, and no key can.';

const accountFields = {
  requirePasskey: z.boolean().describe(REQUIRE_PASSKEY),
  count: z.number().int().describe(COUNT),
};

/** How the held sends of all keys of an account are approved. */
export const accountApproversSchema = z.object(accountFields).meta({ id: 'AccountApprovers' });

/** Who approves held sends, how many of them, and how they prove it. */
export const approversSchema = z
  .object({
    ...accountFields,
    memberIds: z.array(idSchema).nullable().describe(`${MEMBER_IDS} Null: every owner, admin and approver.`),
  })
  .meta({ id: 'Approvers' });

export type Approvers = z.output<typeof approversSchema>;

const newAccountFields = {
  requirePasskey: z.boolean().optional().describe(`${REQUIRE_PASSKEY} Default: false.`),
  count: z.number().int().min(1).max(LIMITS.approversPerHold).optional().describe(`${COUNT} Default: 1.`),
};

export const newAccountApproversSchema = z.strictObject(newAccountFields).meta({ id: 'NewAccountApprovers' });

export const newApproversSchema = z
  .strictObject({
    ...newAccountFields,
    memberIds: z
      .array(z.string().max(100))
      .min(1)
      .max(LIMITS.approverMembers)
      .nullable()
      .optional()
      .describe(`${MEMBER_IDS} Default: null, for every owner, admin and approver.`),
  })
  .meta({ id: 'NewApprovers' });

export const NO_APPROVERS: Approvers = { requirePasskey: false, count: 1, memberIds: null };

/** The value of the setting that a request states; null states that there is none. */
export function toApprovers(given: z.output<typeof newApproversSchema> | null): Approvers {
  const { requirePasskey, count, memberIds } = NO_APPROVERS;
  return {
    requirePasskey: given?.requirePasskey ?? requirePasskey,
    count: given?.count ?? count,
    memberIds: given?.memberIds ?? memberIds,
  };
}
