import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { ROLES } from '../roles.ts';
import { ALL_SCOPES } from '../scopes.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { headerText } from './text.ts';

export const roleSchema = z
  .enum(ROLES)
  .describe(
    'What a member may do: `owner` and `admin` everything, except that only owners delete the account; `developer` sending and everything for it; `approver` reading and deciding held sends; `viewer` reading.',
  );

/** Self-reported by the program; not verified. */
export const deviceClientSchema = headerText(1, LIMITS.deviceClientCharacters)
  .refine((text) => text.trim() === text, {
    message: 'must not begin or end with white space',
    params: { code: 'invalid_format' },
  })
  .describe(
    'The name of the program, its version and the machine it runs on, such as `Postrider CLI 0.1.0 on ada-laptop`. The user sees it as a claim by the program. Without it, the `User-Agent` header is shown.',
  );

/** Who is signed in, and where. */
export const sessionSchema = z
  .object({
    authenticated: z.boolean(),
    user: z
      .object({
        id: idSchema.describe('The user’s id, the same in every account.'),
        memberId: idSchema.describe(
          'The id of the seat in this account: the id in `GET /team` and the actor in `GET /audit`.',
        ),
        email: z.string(),
        name: z.string().nullable(),
        role: roleSchema,
      })
      .nullable()
      .describe('Null when signed out.'),
    account: z.object({ id: idSchema, name: z.string() }).nullable().describe('The account the session is in.'),
    scopes: z
      .array(z.enum(ALL_SCOPES))
      .nullable()
      .describe(
        'What the session may do in this account: the permissions of the role, without those the user did not give to a device session.',
      ),
    device: z
      .object({
        client: z.string().describe('The name that the program claims.'),
        approvals: z
          .boolean()
          .describe(
            'Whether the session may approve and reject held sends: the user chose it, and the role allows it.',
          ),
      })
      .nullable()
      .describe('Set for a session that was started with `POST /auth/device`; null in a browser, and when signed out.'),
    expiresAt: timestampSchema
      .nullable()
      .describe(
        `When the session ends if it is not used before then: after ${LIMITS.sessionIdleDays} days without use, and at the latest ${LIMITS.sessionDays} days after it began.`,
      ),
  })
  .meta({ id: 'Session' });

/** Read on the device and typed on the page. */
export const userCodeSchema = z
  .string()
  .min(1)
  .max(40)
  .describe('The code the device shows, such as `WDJB-MJHT`; case and hyphen are ignored.');

export const SIGN_IN_LIMITS = {
  count: 'sign-in',
  requestsPerMinute: LIMITS.signInRequestsPerMinute,
} as const;
/** Devices poll every few seconds, and several of them may share one address. */
export const POLL_LIMITS = {
  count: 'polls',
  requestsPerMinute: LIMITS.devicePollsPerMinute,
} as const;
