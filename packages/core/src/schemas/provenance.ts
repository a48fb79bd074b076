import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { headerText } from './text.ts';

export const CHANNELS = ['api', 'sdk', 'mcp', 'smtp'] as const;
export const SOURCES = ['agent', 'backend', 'automation', 'system'] as const;

export type Channel = (typeof CHANNELS)[number];
export type Source = (typeof SOURCES)[number];

export const channelSchema = z
  .enum(CHANNELS)
  .describe(
    'Ingress protocol: `api` is standard REST, `sdk` the client libraries, `mcp` the Model Context Protocol, `smtp` an MTA relay.',
  )
  .meta({ id: 'Channel' });

export const sourceSchema = z
  .enum(SOURCES)
  .describe(
    'What caused the message: `agent` (autonomous AI bots), `backend` (application services), `automation` (scheduled jobs), `system` (platform transactional alerts).',
  )
  .meta({ id: 'Source' });

export const agentNameSchema = headerText(1, LIMITS.agentNameCharacters).describe(
  `Name of the agent that sends. 1 to ${LIMITS.agentNameCharacters} characters.`,
);
