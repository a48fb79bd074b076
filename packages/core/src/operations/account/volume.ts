import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { volumePointSchema } from '../../schemas/statistics.ts';
import { windowSchema } from '../../schemas/window.ts';

export const getAccountVolume = defineOperation({
  id: 'account.volume',
  method: 'GET',
  path: '/account/volume',
  access: { kind: 'key', scope: 'stats:read' },
  reach: 'none',
  summary: 'Read the volume by day',
  description:
    'The statistics of each UTC day of a window, oldest first, ending with today. Days without messages are included, with zeros. Messages count on the day on which they were accepted, by the same rules as in the statistics.',
  effect: 'read',
  query: z.strictObject({ window: windowSchema }),
  status: 200,
  response: 'json',
  output: z.array(volumePointSchema),
  errors: ['window_too_large'],
  mcp: {
    tool: 'get_volume',
    toolset: 'account',
    title: 'Read the volume by day',
    description:
      'Reads how many messages were sent, delivered, bounced, reported as spam, opened and clicked on each UTC day of a window, oldest first. Not for totals and rates: use get_stats. Returns one row per day in `days`.',
  },
  cli: {
    command: 'account volume',
    examples: ['postrider account volume', 'postrider account volume --window 90d --json'],
  },
});
