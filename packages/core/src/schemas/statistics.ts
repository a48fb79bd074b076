import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { channelSchema, sourceSchema } from './provenance.ts';

const count = (meaning: string) => z.number().int().describe(meaning);
const rate = (meaning: string) => z.number().describe(`${meaning}, in percent with two decimals; 0 if there are none.`);

const outcomeCounts = {
  sent: count('Messages with a final response to the delivery attempt for at least one recipient, including refusals.'),
  delivered: count('Sent messages that were delivered to at least one recipient and did not bounce later.'),
  bounced: count('Sent messages that bounced for at least one recipient.'),
  complained: count('Sent messages that at least one recipient reported as spam.'),
};

const failureRates = {
  bounceRate: rate('`bounced` against `sent`'),
  complaintRate: rate('`complained` against `sent`'),
};

const baseFields = {
  ...outcomeCounts,
  deliveryRate: rate('`delivered` against `sent`'),
  ...failureRates,
};

const tagStatsSchema = z.object({ tag: z.string(), ...outcomeCounts, ...failureRates }).meta({ id: 'TagStats' });

const bounceKindsSchema = z
  .object({
    hard: count('The address does not exist.'),
    soft: count('Temporarily undeliverable until the retries ran out.'),
    block: count('The receiver refused the message because of its policy or the content.'),
    spam: count('A recipient reported the message as spam (complaint).'),
    unknown: count('The provider did not report a reason.'),
  })
  .meta({ id: 'BounceKinds' });

const opensSchema = z
  .object({
    tracked: count('Sent messages that contained a tracking image.'),
    opened: count('Tracked messages that were opened at least once.'),
    openRate: rate('`opened` against `tracked`'),
  })
  .meta({ id: 'OpenStats' });

const clicksSchema = z
  .object({
    tracked: count('Sent messages that contained a rewritten link.'),
    clicked: count('Tracked messages of which a link was followed at least once.'),
    clickRate: rate('`clicked` against `tracked`'),
  })
  .meta({ id: 'ClickStats' });

/** The outcomes of an account's messages in a window. Blocks that were not requested or are not measured are absent. */
export const accountStatsSchema = z
  .object({
    window: z.string().describe('The window of the request, such as `14d`.'),
    ...baseFields,
    byTag: z
      .array(tagStatsSchema)
      .optional()
      .describe('With `by_tag`: every tag of sent messages, the most frequent first.'),
    bounces: bounceKindsSchema.optional().describe('With `bounces`: messages by kind of bounce, and complaints.'),
    opens: opensSchema.optional().describe('With `engagement`, while open tracking is on; absent means not measured.'),
    clicks: clicksSchema
      .optional()
      .describe('With `engagement`, while click tracking is on; absent means not measured.'),
    byChannel: z
      .array(z.object({ channel: channelSchema, ...baseFields }).meta({ id: 'ChannelStats' }))
      .optional()
      .describe('With `provenance`: every channel.'),
    bySource: z
      .array(z.object({ source: sourceSchema, ...baseFields }).meta({ id: 'SourceStats' }))
      .optional()
      .describe('With `provenance`: every source.'),
    topAgents: z
      .array(z.object({ agentName: z.string(), ...baseFields }).meta({ id: 'AgentStats' }))
      .optional()
      .describe('With `provenance`: the agents that sent most, at most ten.'),
  })
  .meta({ id: 'AccountStats' });

const dailyCounts = {
  ...outcomeCounts,
  opened: count('Sent messages that were opened at least once, if that was tracked.'),
  clicked: count('Sent messages of which a link was followed at least once, if that was tracked.'),
};

/** The properties of messages by which statistics are kept for each day. */
export const VOLUME_DIMENSIONS = ['tag', 'channel', 'source', 'agent'] as const;

export const volumePointSchema = z
  .object({
    date: z.iso.date().describe('The UTC day on which the messages were accepted.'),
    ...dailyCounts,
    groups: z
      .array(z.object({ value: z.string(), ...dailyCounts }).meta({ id: 'VolumeGroup' }))
      .optional()
      .describe(
        `With \`by\`: the ${LIMITS.volumeGroups} values that sent most in the window, the largest first; the same ones, in the same order, on every day.`,
      ),
    other: z.object(dailyCounts).nullable().optional().meta({
      id: 'VolumeRest',
      description:
        'With `by`: the messages of the day that have none of these values. Null by tag, because a message can have several.',
    }),
  })
  .meta({ id: 'VolumePoint' });
