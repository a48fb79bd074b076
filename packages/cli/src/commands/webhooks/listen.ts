import { defineCommand } from '../../define-command.ts';
import { switchFlag } from '../../own-flag.ts';
import { EVENTS, FORWARD_FLAG } from '../../webhooks/event-flags.ts';
import { showEvents } from '../../webhooks/show-events.ts';

export const definition = defineCommand({
  id: 'webhooks listen',
  about: {
    summary: 'Forward events to a program on this machine',
    description:
      'Shows the account’s events as they happen, until Ctrl-C: those about what the key may read. With `--forward-to`, each event is posted to your program, signed like a real delivery. You need no tunnel and no endpoint. After a lost connection, the command reconnects and continues after the last event. The signing secret belongs to the key and stays the same. With `--json`, each event is a JSON document on one line.',
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
      'Print only the secret that signs the forwarded events (as JSON with --json), and exit.',
    ),
  },
  run: showEvents,
});
