import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { idSchema } from '../../schemas/identifiers.ts';
import { timeBoundSchema } from '../../schemas/time-bound.ts';
import { webhookEventTypeSchema, webhookParams } from '../../schemas/webhook.ts';

export const replayWebhook = defineOperation({
  id: 'webhooks.replay',
  method: 'POST',
  path: '/webhooks/:id/replay',
  access: { kind: 'key', scope: 'webhooks:write' },
  reach: 'notifies',
  summary: 'Replay events to an endpoint',
  description: `Delivers stored events of a window again, with their original ids and bodies: those that match the endpoint’s filter and the fields below. A window of more than ${LIMITS.webhookReplayDays} days is 422 \`window_too_large\`; a disabled endpoint is 409. Events that are already pending for the endpoint are delivered immediately and counted.`,
  effect: 'create',
  params: webhookParams,
  body: z
    .strictObject({
      since: timeBoundSchema.describe('Events at or after this RFC 3339 time with an offset, or date in UTC.'),
      until: timeBoundSchema.optional().describe('Events before this time. Default: now.'),
      events: z
        .array(webhookEventTypeSchema)
        .min(1)
        .max(LIMITS.webhookEventFilters)
        .optional()
        .describe('Only these types.'),
      ids: z
        .array(idSchema)
        .min(1)
        .max(LIMITS.webhookReplayIds)
        .optional()
        .describe(`Only these events, by the \`id\` of their payloads; at most ${LIMITS.webhookReplayIds}.`),
      status: z
        .enum(['failed', 'succeeded'])
        .optional()
        .describe('`succeeded`: only events the endpoint accepted; `failed`: only the others.'),
      dryRun: z.boolean().optional().describe('If true, queues nothing and returns how many events would be queued.'),
    })
    .meta({ id: 'WebhookReplay' }),
  bodyBytes: LIMITS.idListBodyBytes,
  status: 202,
  response: 'json',
  output: z.object({ queued: z.number().int() }).meta({ id: 'WebhookReplayAccepted' }),
  alternatives: [
    {
      status: 200,
      when: 'dryRun',
      summary: 'What a replay would queue',
      output: z.object({ wouldQueue: z.number().int() }).meta({ id: 'WebhookReplayPreview' }),
    },
  ],
  errors: ['not_found', 'webhook_disabled', 'window_too_large'],
  mcp: {
    tool: 'replay_webhook',
    toolset: 'webhooks',
    title: 'Replay events to an endpoint',
    description:
      'Replays events of up to 7 days to one webhook endpoint; narrow them with `events`, `ids` and `status`. Call it with `dryRun` first and tell the user the number. Returns how many were queued. Not for one delivery: use retry_webhook_delivery.',
  },
  cli: {
    command: 'webhooks replay',
    description:
      'Delivers stored events of a window again, with their original ids and content: those that match the endpoint’s filter and the flags. A window of more than 7 days fails with window_too_large, and a disabled endpoint refuses the command. Events that are already pending for the endpoint are delivered immediately and counted.',
    positional: ['id'],
    examples: ['postrider webhooks replay <id> --since 2026-01-31T09:00:00Z --status failed --dry-run'],
  },
});
