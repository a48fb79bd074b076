import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { ROLES } from '../roles.ts';
import { idSchema, timestampSchema } from './identifiers.ts';

export const roleSchema = z
  .enum(ROLES)
  .describe(
    'What a member may do: `owner` and `admin` everything, save that only owners delete the account; `developer` sending and what belongs to it; `approver` reading and deciding held sends; `viewer` reading.',
  );

/** Who is signed in, and where. */
export const sessionSchema = z
  .object({
    authenticated: z.boolean(),
    user: z
      .object({
        id: idSchema.describe('The person’s own id, the same in every account.'),
        memberId: idSchema.describe(
          'Of the seat in this account: the id in `GET /team` and the actor in `GET /audit`.',
        ),
        email: z.string(),
        name: z.string().nullable(),
        role: roleSchema,
      })
      .nullable()
      .describe('Null when signed out.'),
    account: z.object({ id: idSchema, name: z.string() }).nullable().describe('The account the session is in.'),
    expiresAt: timestampSchema
      .nullable()
      .describe(
        `When the session ends, unless it is used before: after ${LIMITS.sessionIdleDays} days of rest, and ${LIMITS.sessionDays} days after it began in any case.`,
      ),
  })
  .meta({ id: 'Session' });

/** A device that signs in and a person who confirms that have this between them. */
export const userCodeSchema = z
  .string()
  .min(1)
  .max(40)
  .describe('The code the device shows, such as `WDJB-MJHT`; case and hyphen do not matter.');

export const SIGN_IN_LIMITS = {
  count: 'sign-in',
  requestsPerMinute: LIMITS.signInRequestsPerMinute,
  bodyBytes: LIMITS.signInBodyBytes,
} as const;
/** Devices ask every few seconds, and several of them may stand behind one address. */
export const POLL_LIMITS = {
  count: 'polls',
  requestsPerMinute: LIMITS.devicePollsPerMinute,
  bodyBytes: LIMITS.signInBodyBytes,
} as const;
