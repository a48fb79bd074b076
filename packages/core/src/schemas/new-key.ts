import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { ALL_SCOPES, SCOPE_SHORTHANDS } from '../scopes.ts';
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

/** What may be said of a key when it is made and when it is changed. */
const restrictionFields = {
  rateLimit: z
    .number()
    .int()
    .min(1)
    .max(LIMITS.keyRatePerMinuteMax)
    .optional()
    .describe(
      `Requests per minute, 1 to ${LIMITS.keyRatePerMinuteMax}; ${LIMITS.keyRatePerMinuteDefault} unless given. The whole minute’s allowance may be used at once.`,
    ),
  recipientAllowlist: z
    .array(z.string().max(LIMITS.addressCharacters))
    .min(1)
    .max(LIMITS.keyRecipientEntries)
    .nullable()
    .optional()
    .describe(
      'Who may be written to: `a@b.c`, `@b.c` (that domain) or `*.b.c` (its subdomains). Everyone unless given.',
    ),
  ipAllowlist: z
    .array(z.string().max(100))
    .min(1)
    .max(LIMITS.keyNetworks)
    .nullable()
    .optional()
    .describe(
      'Networks the key may be used from, v4 and v6, as CIDR; a single address stands for itself. Everywhere unless given.',
    ),
  attachmentHosts: newAttachmentHostsSchema
    .nullable()
    .optional()
    .describe(
      'Hosts that attachments are fetched from. Each is a name such as `files.example.com`, or `*.example.com` for its subdomains. Unless given, an ordinary key fetches from any host, and a test key, a held key or a key with a recipient allowlist from none.',
    ),
  expiresAt: offsetTimeSchema
    .nullable()
    .optional()
    .describe('When the key ends: RFC 3339 with an offset, in the future. Never unless given.'),
  approvalMode: z
    .enum(APPROVAL_MODES)
    .optional()
    .describe(
      'Which sends wait until a person decides: none (`off`, unless given), `always`, or by `policy` those that `holdWhen` names. A key in approval mode can hold none of `keys:write`, `approvals:decide` and `team:write`.',
    ),
  holdWhen: newHoldWhenSchema.nullable().optional().describe('Which sends the approval mode `policy` holds.'),
  persona: personaSchema.nullable().optional().describe('Provenance of sends that say none themselves.'),
  lockPersona: z
    .boolean()
    .optional()
    .describe(
      'Whether sends may claim no other persona. True needs a `persona`, and refuses another agent name or source.',
    ),
  sendLimit: sendLimitSchema
    .nullable()
    .optional()
    .describe('Messages per hour and per day. Counted in whole hours and days of UTC.'),
};

const nameSchema = headerText(1, LIMITS.keyNameCharacters).describe(`${KEY_NAME_RULE}.`);
const scopesSchema = z
  .array(z.enum([...ALL_SCOPES, ...SHORTHANDS]))
  .min(1)
  .max(100)
  .describe(
    'What the key may do. `sending` and `full` stand for several; `full` is everything but `approvals:decide`; of a key in approval mode it leaves out `keys:write` and `team:write` as well.',
  );

export const newKeySchema = z
  .strictObject({
    name: nameSchema,
    mode: z
      .enum(KEY_MODES)
      .optional()
      .describe(
        '`live` unless given. What a `test` key sends runs through every rule and never leaves the installation.',
      ),
    scopes: scopesSchema,
    ...restrictionFields,
  })
  .meta({ id: 'NewKey' });

export const keyChangesSchema = z
  .strictObject({ name: nameSchema.optional(), scopes: scopesSchema.optional(), ...restrictionFields })
  .meta({ id: 'KeyChanges' });

export type NewKeyInput = z.output<typeof newKeySchema>;
export type KeyChangesInput = z.output<typeof keyChangesSchema>;
