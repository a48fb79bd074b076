import { z } from 'zod';
import { channelSchema, sourceSchema } from './provenance.ts';

const count = (meaning: string) => z.number().int().describe(meaning);
const rate = (meaning: string) =>
  z.number().describe(`${meaning}, in percent with two decimals; 0 where there are none.`);

const outcomeCounts = {
  sent: count('Messages whose hand-off was answered for good for one recipient at least, refusals included.'),
  delivered: count('Those of them that were delivered to one recipient at least, and did not bounce later.'),
  bounced: count('Those of them that bounced for one recipient at least.'),
  complained: count('Those of them that one recipient at least reported as spam.'),
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
    block: count('The receiver refused on policy or content.'),
    spam: count('A recipient reported the mail as spam: the complaints.'),
    unknown: count('The provider could not say.'),
  })
  .meta({ id: 'BounceKinds' });

const opensSchema = z
  .object({
    tracked: count('Sent messages that carried an open pixel.'),
    opened: count('Those of them that were opened at least once.'),
    openRate: rate('`opened` against `tracked`'),
  })
  .meta({ id: 'OpenStats' });

const clicksSchema = z
  .object({
    tracked: count('Sent messages that carried a rewritten link.'),
    clicked: count('Those of them of which a link was followed at least once.'),
    clickRate: rate('`clicked` against `tracked`'),
  })
  .meta({ id: 'ClickStats' });

/** What became of an account's messages within a window. Blocks that were not asked for, or are not measured, are absent. */
export const accountStatsSchema = z
  .object({
    window: z.string().describe('The window as asked for, such as `14d`.'),
    ...baseFields,
    byTag: z
      .array(tagStatsSchema)
      .optional()
      .describe('With `by_tag`: every tag of sent messages, the most used first.'),
    bounces: bounceKindsSchema
      .optional()
      .describe('With `bounces`: messages by the kinds of their bounces and complaints.'),
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
      .describe('With `provenance`: the agents that sent most, ten at most.'),
  })
  .meta({ id: 'AccountStats' });

export const volumePointSchema = z
  .object({
    date: z.iso.date().describe('The UTC day on which the messages were accepted.'),
    ...outcomeCounts,
    opened: count('Those of them that were opened at least once, as far as it was tracked.'),
    clicked: count('Those of them of which a link was followed at least once, as far as it was tracked.'),
  })
  .meta({ id: 'VolumePoint' });
