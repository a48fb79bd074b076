import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { ALL_SCOPES } from '../scopes.ts';
import { approversSchema } from './approvers.ts';
import { APPROVAL_MODES, holdWhenSchema } from './hold-when.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { agentNameSchema, sourceSchema } from './provenance.ts';

export const KEY_MODES = ['live', 'test'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/** The key's message limits; null if there is none. */
export interface SendLimit {
  readonly hour: number | null;
  readonly day: number | null;
}

/** An API key as reads show it: never its secret. */
export const keyFields = {
  id: idSchema,
  name: z.string(),
  mode: z.enum(KEY_MODES),
  prefix: z.string().describe('The beginning of the key, `pr_live_` or `pr_test_`.'),
  last4: z.string().describe('The end of the key.'),
  scopes: z.array(z.enum(ALL_SCOPES)),
  rateLimit: z.number().int().describe('Requests per minute.'),
  recipientAllowlist: z
    .array(z.string())
    .nullable()
    .describe('Allowed recipients: `a@b.c`, `@b.c` or `*.b.c`; null allows every recipient.'),
  ipAllowlist: z
    .array(z.string())
    .nullable()
    .describe('Networks (CIDR) that the key may be used from; null allows every address.'),
  attachmentHosts: z
    .array(z.string())
    .nullable()
    .describe(
      'Hosts that attachment URLs are fetched from; null: any for an ordinary key, none for a test key or a held key.',
    ),
  approvalMode: z.enum(APPROVAL_MODES),
  holdWhen: holdWhenSchema.nullable().describe('The rules of the approval mode `policy`.'),
  approvers: approversSchema.describe('Who approves its held sends, and how. The rules of the account apply too.'),
  persona: z
    .object({ agentName: agentNameSchema.nullable(), source: sourceSchema.nullable() })
    .nullable()
    .describe('Provenance defaults of the key.'),
  lockPersona: z.boolean().describe('Whether sends must use the agent name and source of the persona.'),
  sendLimit: z
    .object({ hour: z.number().int().nullable(), day: z.number().int().nullable() })
    .nullable()
    .describe('Messages per hour and per day (UTC); null without a limit.'),
  client: z
    .object({
      name: z.string().describe('As the program reported it.'),
      id: z.string().describe('The OAuth client id: the URL of the program’s metadata, or the id of its registration.'),
      grantedBy: z
        .object({
          memberId: idSchema,
          email: z
            .string()
            .nullable()
            .describe('Null if they left the team, for keys without `team:read`, and in events.'),
        })
        .describe('The member who allowed the program. It never exceeds their role.'),
    })
    .nullable()
    .describe('The program that signed in and uses this key by access tokens; null for a key with a secret.'),
  createdAt: timestampSchema,
  lastUsedAt: timestampSchema.nullable().describe('Updated at most once a minute.'),
  expiresAt: timestampSchema.nullable(),
  revokedAt: timestampSchema.nullable(),
  pausedAt: timestampSchema.nullable().describe('When the key was paused; null if it is not paused.'),
};

export const keySchema = z.object(keyFields).meta({ id: 'Key' });

/** The key of a program that the caller allowed. */
export const programSchema = z
  .object({
    ...keyFields,
    connected: z
      .boolean()
      .describe(
        'Whether the program has a token. Without one, it can do nothing until it signs in again: it did not collect its token after it was allowed, signed out, or let its token expire.',
      ),
  })
  .meta({ id: 'Program' });

/** A key with its secret, as returned by creation and rotation. */
export const keyWithSecretSchema = z
  .object({ ...keyFields, key: z.string().describe('The whole secret. It is shown only once and is not stored.') })
  .meta({ id: 'KeyWithSecret' });

export const keyParams = z.object({ id: z.string().describe('The id of the key.') });

/** The fields that the escalation rule compares, for the descriptions of the operations that enforce it. */
export const ESCALATION_RULE =
  'A key cannot create or become a less restricted key than itself, nor loosen another key beyond itself. These are compared: scopes, `mode` (a test key cannot create a live one), `rateLimit`, `recipientAllowlist`, `ipAllowlist`, `attachmentHosts`, `expiresAt`, `sendLimit`, `persona` with `lockPersona`, `approvalMode` with `holdWhen`, and `approvers`. 403 `permission_escalation` names those that exceed the caller’s. To loosen `approvalMode`, `holdWhen` or `approvers`, the caller needs `approvals:decide`. Where approvals need a passkey, loosening them needs one too, so only a page of the console can do it.';

/** The value of `LIMITS.keyNameCharacters`, for descriptions. */
export const KEY_NAME_RULE = `1 to ${LIMITS.keyNameCharacters} characters`;
