import { z } from 'zod';
import { idSchema } from './identifiers.ts';

export const acceptedStatusSchema = z.literal('queued').describe('Always `queued` on acceptance.');

/** What an accepted send is answered with. */
export const sendAcceptedSchema = z.object({ id: idSchema, status: acceptedStatusSchema }).meta({ id: 'SendAccepted' });
