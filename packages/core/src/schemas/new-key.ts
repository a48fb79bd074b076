import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { ALL_SCOPES, SCOPE_SHORTHANDS } from '../scopes.ts';
import { newApproversSchema } from './approvers.ts';
import { newAttachmentHostsSchema } from './attachment-hosts.ts';
import { APPROVAL_MODES, newHoldWhenSchema } from './hold-when.ts';
import { KEY_MODES, KEY_NAME_RULE } from './key.ts';
import { offsetTimeSchema } from './offset-time.ts';
import { agentNameSchema, sourceSchema } from './provenance.ts';
import { headerText } from './text.ts';

// Object.keys widens to string; the literal has exactly these names.
const SHORTHANDS = Object.keys(SCOPE_SHORTHANDS) as (keyof typeof SCOPE_SHORTHANDS)[];

const countSchema = z.number().int().min(1).max(LIMITS.keySendsMax).nullable().optional();

const sendLimitSchema = z
  .strictObject({ hour: countSchema, day: countSchema })
  .refine(({ hour, day }) => (hour ?? null) !== null || (day ?? null) !== null, {
    message: 'must limit the hour, the day, or both',
    params: { code: 'required' },
  });

const personaSchema = z
  .strictObject({ agentName: agentNameSchema.nullable().optional(), source: sourceSchema.nullable().optional() })
  .refine(({ agentName, source }) => (agentName ?? null) !== null || (source ?? null) !== null, {
    message: 'must name an `agentName`, a `source`, or both',
    params: { code: 'required' },
  });

/** The fields of a key that can be set on creation and changed later. */
const restrictionFields = {
  rateLimit: z
    .number()
    .int()
    .min(1)
    .max(LIMITS.keyRatePerMinuteMax)
    .optional()
    .describe(
      `Requests per minute, 1 to ${LIMITS.keyRatePerMinuteMax}. Default: ${LIMITS.keyRatePerMinuteDefault}. The allowance of a minute can be used at once.`,
    ),
  recipientAllowlist: z
    .array(z.string().max(LIMITS.addressCharacters))
    .min(1)
    .max(LIMITS.keyRecipientEntries)
    .nullable()
    .optional()
    .describe('Allowed recipients: `a@b.c`, `@b.c` (that domain) or `*.b.c` (its subdomains). Default: everyone.'),
  ipAllowlist: z
    .array(z.string().max(100))
    .min(1)
    .max(LIMITS.keyNetworks)
    .nullable()
    .optional()
    .describe('Networks the key can be used from, as CIDR or single addresses. Default: everywhere.'),
  attachmentHosts: newAttachmentHostsSchema
    .nullable()
    .optional()
    .describe(
      'Hosts that attachments can be fetched from. Each is a name such as `files.example.com`, or `*.example.com` for its subdomains. Default: any host; none for test keys, held keys and keys with a recipient allowlist.',
    ),
  expiresAt: offsetTimeSchema
    .nullable()
    .optional()
    .describe('When the key expires: RFC 3339 with an offset, in the future. Default: never.'),
  approvalMode: z
    .enum(APPROVAL_MODES)
    .optional()
    .describe(
      'Which sends are held until an approver decides: none (`off`, the default), `always`, or by `policy` those that `holdWhen` names. A key in approval mode cannot have `keys:write`, `approvals:decide` or `team:write`.',
    ),
  holdWhen: newHoldWhenSchema.nullable().optional().describe('Which sends the approval mode `policy` holds.'),
  approvers: newApproversSchema
    .nullable()
    .optional()
    .describe(
      'Who approves its held sends, and how. Replaces the whole setting. Null: only the rules of the account apply.',
    ),
  persona: personaSchema.nullable().optional().describe('Provenance of sends that do not set it.'),
  lockPersona: z
    .boolean()
    .optional()
    .describe(
      'Whether sends must use this persona. If true, `persona` is required, and another agent name or source is refused.',
    ),
  sendLimit: sendLimitSchema.nullable().optional().describe('Messages per whole UTC hour and day.'),
};

const nameSchema = headerText(1, LIMITS.keyNameCharacters).describe(`${KEY_NAME_RULE}.`);
const scopesSchema = z
  .array(z.enum([...ALL_SCOPES, ...SHORTHANDS]))
  .min(1)
  .max(100)
  .describe(
    'What the key may do. `sending` and `full` are sets: `full` is all except `approvals:decide`; in approval mode also without `keys:write` and `team:write`.',
  );

export const newKeySchema = z
  .strictObject({
    name: nameSchema,
    mode: z
      .enum(KEY_MODES)
      .optional()
      .describe('Default: `live`. Sends of a `test` key are checked by every rule and never leave the installation.'),
    scopes: scopesSchema,
    ...restrictionFields,
  })
  .meta({ id: 'NewKey' });

export const keyChangesSchema = z
  .strictObject({ name: nameSchema.optional(), scopes: scopesSchema.optional(), ...restrictionFields })
  .meta({ id: 'KeyChanges' });

export type NewKeyInput = z.output<typeof newKeySchema>;
export type KeyChangesInput = z.output<typeof keyChangesSchema>;
