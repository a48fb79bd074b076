import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { queryFlagSchema } from '../../schemas/query-flag.ts';
import { accountStatsSchema } from '../../schemas/statistics.ts';
import { windowSchema } from '../../schemas/window.ts';

export const getAccountStats = defineOperation({
  id: 'account.stats',
  method: 'GET',
  path: '/account/stats',
  access: { kind: 'key', scope: 'stats:read' },
  reach: 'none',
  summary: 'Read statistics',
  description:
    'What became of the messages accepted within a window of UTC days. Every number counts messages, and a message counts where one of its recipients at least is meant, so one with several recipients can be both delivered and bounced. `sent` are those whose hand-off was answered for good; what still waits, was canceled, or never left for a reason of our own is none of them. A complaint counts as delivered as well; a bounce that follows a delivery takes it back. All messages of the log count, those to test addresses and of test keys included. An event shows within two seconds, on the day on which its message was accepted.',
  effect: 'read',
  query: z.strictObject({
    window: windowSchema,
    provenance: queryFlagSchema.describe('Adds `byChannel`, `bySource` and `topAgents`.'),
    by_tag: queryFlagSchema.describe('Adds `byTag`: each tag with its own rates.'),
    bounces: queryFlagSchema.describe('Adds `bounces`: the kinds of bounces.'),
    engagement: queryFlagSchema.describe('Adds `opens` and `clicks`, each while its tracking is on.'),
  }),
  status: 200,
  response: 'json',
  output: accountStatsSchema,
  errors: ['window_too_large'],
  mcp: {
    tool: 'get_stats',
    toolset: null,
    title: 'Read statistics',
    description:
      'Reads what became of the messages of the last days (`window`, 1d to 90d): counts and rates, on request by tag, bounce, engagement or provenance. Not for single messages: use list_emails. Answers one record.',
    // Its description says what the arguments are for.
    terse: true,
  },
  cli: {
    command: 'account stats',
    examples: [
      'postrider account stats',
      'postrider account stats --window 30d --by-tag --bounces --engagement --provenance',
    ],
  },
});
