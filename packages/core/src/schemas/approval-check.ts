import { z } from 'zod';
import { ERROR_CODES } from '../errors.ts';
import { timestampSchema } from './identifiers.ts';
import { problemSchema } from './problem.ts';

/** The checks of a held send, in the order of the response; all are always present. */
export const APPROVAL_CHECKS = {
  caller: 'The caller may decide this hold, and its own rules permit the message.',
  hold: 'The hold is undecided and has not expired.',
  key: 'The keys that sent the message are not revoked.',
  account: 'The account may send, and neither it nor the key is paused.',
  domain: 'The sender’s domain is verified.',
  allowlist: 'Every recipient is on the allowlists of the keys that sent the message.',
  suppression: 'No recipient is on the suppression list.',
  quota: 'The monthly quota is sufficient for recipients that are added.',
} as const;

export type ApprovalCheckName = keyof typeof APPROVAL_CHECKS;

// Object.keys widens to string; the literal above has exactly these names.
export const APPROVAL_CHECK_NAMES = Object.keys(APPROVAL_CHECKS) as readonly ApprovalCheckName[];

/** What an approval would return now. */
export const approvalCheckSchema = z
  .object({
    ok: z
      .boolean()
      .describe(
        'Whether an approval by this caller would be accepted now. It sends the message, or counts as one of several approvals; with `approvers.requirePasskey`, it is made on the page of the hold.',
      ),
    checks: z
      .array(
        z.object({
          name: z
            .enum(APPROVAL_CHECK_NAMES)
            .describe(APPROVAL_CHECK_NAMES.map((name) => `\`${name}\`: ${APPROVAL_CHECKS[name]}`).join(' ')),
          ok: z.boolean(),
          code: z.enum(ERROR_CODES).optional().describe('Only if it failed: the error code.'),
          message: z.string().optional().describe('Only if it failed: what is wrong.'),
          fix: z.string().optional().describe('Only if it failed: what to do next.'),
        }),
      )
      .describe('Every check, whether it passed or failed, always in this order.'),
    refusal: problemSchema
      .nullable()
      .describe(
        'The error of an approval, or the `problem` that the hold would get if the message could not be sent; null if it would be sent.',
      ),
    checkedAt: timestampSchema,
  })
  .meta({ id: 'ApprovalCheck' });

export type ApprovalCheck = z.input<typeof approvalCheckSchema>;
