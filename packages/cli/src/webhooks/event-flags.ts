import type { OwnInput } from '../define-command.ts';
import { urlFlag } from '../own-flag.ts';

export const EVENT_TYPES = { of: 'webhooks.create', input: 'events' };

/** The events to follow. */
export const EVENTS: OwnInput = {
  name: 'events',
  place: 'query',
  key: 'events',
  flags: ['--events'],
  valueName: 'type',
  description: 'Only events of these types, separated by commas. Default: all.',
  value: { kind: 'list', choices: null },
  suggestions: EVENT_TYPES,
};

export const FORWARD_FLAG = urlFlag(
  '--forward-to <url>',
  'Post each event to this URL, such as http://localhost:3000/webhooks.',
);
