import { z } from 'zod';

/** Who approves held sends, and how they prove it. */
export const approversSchema = z
  .object({
    requirePasskey: z
      .boolean()
      .describe(
        'Whether an approval needs a passkey of the person who approves, on the page of the hold. Rejecting needs none.',
      ),
  })
  .meta({ id: 'Approvers' });

export type Approvers = z.output<typeof approversSchema>;

export const newApproversSchema = z
  .strictObject({
    requirePasskey: z
      .boolean()
      .optional()
      .describe(
        'Whether an approval needs a passkey of the person who approves, on the page of the hold. Default: false.',
      ),
  })
  .meta({ id: 'NewApprovers' });

export const NO_APPROVERS: Approvers = { requirePasskey: false };

/** The value of the setting that a request states; null states that there is none. */
export function toApprovers(given: z.output<typeof newApproversSchema> | null): Approvers {
  return { requirePasskey: given?.requirePasskey ?? false };
}
