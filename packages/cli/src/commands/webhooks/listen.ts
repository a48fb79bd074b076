import { defineCommand } from '../../define-command.ts';
import { switchFlag } from '../../own-flag.ts';
import { EVENTS, FORWARD_FLAG } from '../../webhooks/event-flags.ts';
import { showEvents } from '../../webhooks/show-events.ts';

export const definition = defineCommand({
  id: 'webhooks listen',
  about: {
    summary: 'Forward events to a program on this machine',
    description:
      'Shows the account’s events as they happen, and with `--forward-to` posts each to a program of yours, signed as a real delivery is, until Ctrl-C. No tunnel and no endpoint are needed. A connection that breaks is opened again, and goes on behind the last event. The signing secret belongs to the key and stays the same. With `--json` each event is a JSON document on a line of its own.',
    needsKey: true,
    scope: 'webhooks:read',
    examples: [
      'postrider webhooks listen --forward-to http://localhost:3000/webhooks/postrider',
      'postrider webhooks listen --events email.bounced --events email.complained --json | jq .event.data',
      'POSTRIDER_WEBHOOK_SECRET=$(postrider webhooks listen --print-secret) node server.js',
    ],
    inputs: [EVENTS],
  },
  flags: {
    forwardTo: FORWARD_FLAG,
    printSecret: switchFlag(
      '--print-secret',
      'Print the secret that the forwarded events are signed with, alone (with --json as JSON), and end.',
    ),
  },
  run: showEvents,
});
