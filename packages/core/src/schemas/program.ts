import { z } from 'zod';

export const programParams = z.object({ id: z.string().describe('The id of the program’s key.') });
