import type { Channel, MessageStatus, Source } from '@postrider/core';
import type { FilterName } from './message-log-state.ts';

export const CHANNEL_WORDS: Readonly<Record<Channel, string>> = {
  api: 'REST API',
  sdk: 'SDK',
  mcp: 'MCP',
  smtp: 'SMTP',
};

export const SOURCE_WORDS: Readonly<Record<Source, string>> = {
  agent: 'Agent',
  backend: 'Backend',
  automation: 'Automation',
  system: 'System',
};

export const FILTER_WORDS: Readonly<Record<FilterName, string>> = {
  q: 'Contains',
  status: 'Status',
  tag: 'Tag',
  channel: 'Channel',
  source: 'Source',
  agent_name: 'Agent',
  key_id: 'Key',
  recipient: 'Recipient',
  domain: 'Sending domain',
  sender: 'Sender',
  from: 'From day',
  to: 'Before day',
};

/** A message that waits for its time is queued, as the API says it. */
export function isScheduled(
  { status, scheduledAt }: { readonly status: MessageStatus; readonly scheduledAt: string | null },
  now: Date,
): boolean {
  return status === 'queued' && scheduledAt !== null && new Date(scheduledAt) > now;
}
