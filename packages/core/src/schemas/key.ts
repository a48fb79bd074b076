import { z } from 'zod';
import { ALL_SCOPES } from '../scopes.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { agentNameSchema, sourceSchema } from './provenance.ts';

export const KEY_MODES = ['live', 'test'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/** An API key as reads show it: never its secret. */
export const keyFields = {
  id: idSchema,
  name: z.string(),
  mode: z.enum(KEY_MODES),
  prefix: z.string().describe('How the key begins, `pr_live_` or `pr_test_`.'),
  last4: z.string().describe('How the key ends.'),
  scopes: z.array(z.enum(ALL_SCOPES)),
  recipientAllowlist: z
    .array(z.string())
    .nullable()
    .describe('Entries `a@b.c`, `@b.c` or `*.b.c`; null allows every recipient.'),
  persona: z
    .object({ agentName: agentNameSchema.nullable(), source: sourceSchema.nullable() })
    .nullable()
    .describe('Provenance defaults of the key.'),
  createdAt: timestampSchema,
  lastUsedAt: timestampSchema.nullable().describe('Written at most once a minute.'),
  expiresAt: timestampSchema.nullable(),
  revokedAt: timestampSchema.nullable(),
};
