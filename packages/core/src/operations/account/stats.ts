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
    'The outcomes of the messages accepted within a window of UTC days. Every number counts messages. A message counts if it applies to at least one of its recipients, so a message with several recipients can be both delivered and bounced. `sent` counts messages with a final response to the delivery attempt; messages that are waiting, were canceled, or never left because of an internal error are not counted. A complaint also counts as delivered. A bounce after a delivery replaces the delivery. All messages count, including those to test addresses and of test keys. An event is counted within two seconds, on the day its message was accepted.',
  effect: 'read',
  query: z.strictObject({
    window: windowSchema,
    provenance: queryFlagSchema.describe('Adds `byChannel`, `bySource` and `topAgents`.'),
    by_tag: queryFlagSchema.describe(
      'Adds `byTag`: the rates of each tag. A message counts in each of its tags; untagged ones have no row.',
    ),
    bounces: queryFlagSchema.describe('Adds `bounces`: the kinds of bounces.'),
    engagement: queryFlagSchema.describe('Adds `opens` and `clicks`, each if its tracking is on.'),
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
      'Reads sending statistics of the last days: messages sent, delivered, bounced and complained, with rates. Returns one record. Mail to test addresses counts here. Not for the quota: use get_sending_context. Not for single messages: use list_emails.',
  },
  cli: {
    command: 'account stats',
    examples: [
      'postrider account stats',
      'postrider account stats --window 30d --by-tag --bounces --engagement --provenance',
    ],
  },
});
