import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { CHANNELS, SOURCES } from '../../schemas/provenance.ts';
import { VOLUME_DIMENSIONS, volumePointSchema } from '../../schemas/statistics.ts';
import { windowSchema } from '../../schemas/window.ts';

const VALUES: Readonly<Record<string, readonly string[]>> = { channel: CHANNELS, source: SOURCES };

export const getAccountVolume = defineOperation({
  id: 'account.volume',
  method: 'GET',
  path: '/account/volume',
  access: { kind: 'key', scope: 'stats:read' },
  reach: 'none',
  summary: 'Read the volume by day',
  description:
    'The statistics of each UTC day of a window, oldest first, ending with today. Days without messages are included, with zeros. Messages count on the day on which they were accepted, by the same rules as in the statistics. `by` adds the counts of each tag, channel, source or agent; with `value`, only messages with that value are counted.',
  effect: 'read',
  query: z
    .strictObject({
      window: windowSchema,
      by: z
        .enum(VOLUME_DIMENSIONS)
        .optional()
        .describe(
          `Adds \`groups\` to each day: the counts of the ${LIMITS.volumeGroups} tags, channels, sources or agents that sent most in the window.`,
        ),
      value: z
        .string()
        .min(1)
        .max(Math.max(LIMITS.tagCharacters, LIMITS.agentNameCharacters))
        .optional()
        .describe('Counts only messages with this tag, channel, source or agent, and adds no groups. Needs `by`.'),
    })
    .superRefine(({ by, value }, context) => {
      if (value === undefined) return;
      const known = VALUES[by ?? ''];
      if (by === undefined) {
        const message = 'needs `by`, which names the property that has this value';
        context.addIssue({ code: 'custom', path: ['value'], message, params: { code: 'required' } });
      } else if (known !== undefined && !known.includes(value)) {
        const message = `must be one of ${known.join(', ')}`;
        context.addIssue({ code: 'custom', path: ['value'], message, params: { code: 'invalid_value' } });
      }
    }),
  status: 200,
  response: 'json',
  output: z.array(volumePointSchema),
  errors: ['window_too_large'],
  mcp: {
    tool: 'get_volume',
    toolset: 'account',
    title: 'Read the volume by day',
    // Ten values a day are more than an agent can use: `get_stats` has their totals.
    hides: ['by', 'value'],
    description:
      'Reads how many messages were sent, delivered, bounced, reported as spam, opened and clicked on each UTC day of a window, oldest first. Not for totals and rates: use get_stats. Returns one row per day in `days`.',
  },
  cli: {
    command: 'account volume',
    examples: ['postrider account volume', 'postrider account volume --window 90d --by tag --json'],
  },
});
