import { z } from 'zod';
import { idSchema, timestampSchema } from './identifiers.ts';
import { roleSchema } from './session.ts';

export const memberParams = z.object({ id: z.string().describe('Member id.') });

/** A seat of the account. */
export const memberSchema = z
  .object({
    id: idSchema,
    name: z.string().nullable(),
    email: z.string(),
    role: roleSchema,
    status: z.enum(['active', 'invited']).describe('`invited` until they sign in with this address.'),
    joinedAt: timestampSchema.nullable().describe('Null while they are only invited.'),
  })
  .meta({ id: 'Member' });

export const teamSchema = z
  .object({
    members: z.array(memberSchema).describe('In the order in which they got their seats.'),
    seats: z.object({ used: z.number().int(), limit: z.number().int() }).describe('Invited members use a seat too.'),
  })
  .meta({ id: 'Team' });
