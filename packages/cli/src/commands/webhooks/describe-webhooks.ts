import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandDescription, InputDescription } from '../../command-description.ts';
import { COMMANDS } from '../../generated/commands.ts';

const CREATE = COMMANDS.find(({ id }) => id === 'webhooks.create');
const TYPES = CREATE?.inputs.find(({ name }) => name === 'events')?.value;
const EVENT_TYPES: readonly string[] = TYPES?.kind === 'list' ? (TYPES.choices ?? []) : [];

export const LISTEN_COMMAND = 'webhooks listen';
export const TRIGGER_COMMAND = 'webhooks trigger';

/** Which events are followed. */
export const EVENTS: InputDescription = {
  name: 'events',
  place: 'query',
  key: 'events',
  required: false,
  positional: false,
  flags: ['--events'],
  valueName: 'type',
  description:
    'Only events of this type; give it again for further ones, or several parted by commas. All unless given.',
  value: { kind: 'list', choices: null },
  suggestions: EVENT_TYPES,
};

const TYPE: InputDescription = {
  name: 'type',
  place: 'body',
  key: 'event',
  required: true,
  positional: true,
  flags: [],
  valueName: 'type',
  description: 'The type of the event, for example email.bounced.',
  value: { kind: 'text' },
  suggestions: EVENT_TYPES,
};

export const WEBHOOK_COMMANDS: readonly CommandDescription[] = [
  {
    id: LISTEN_COMMAND,
    command: LISTEN_COMMAND,
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
  {
    id: TRIGGER_COMMAND,
    command: TRIGGER_COMMAND,
    summary: 'Make an event happen',
    description:
      'Causes a true event by sending to a test address, which costs nothing: it reaches the endpoints of the account and whoever listens. With `--forward-to` a made-up event of any type is signed and posted to that address on this machine alone, and its secret is shown.',
    needsKey: true,
    scope: null,
    examples: [
      'postrider webhooks trigger email.bounced',
      'postrider webhooks trigger approval.requested --forward-to http://localhost:3000/webhooks/postrider',
    ],
    inputs: [TYPE],
  },
];

export function describeWebhooks(command: Command, id: string): Command {
  if (id === LISTEN_COMMAND) {
    const secret = 'Print the secret that the forwarded events are signed with, alone (with --json as JSON), and end.';
    return addListenFlags(command).addOption(new Option('--print-secret', secret));
  }
  return id === TRIGGER_COMMAND
    ? command.addOption(forwardTo('Post a made-up event to this address of this machine.'))
    : command;
}

/** What following events takes beside which ones. */
export function addListenFlags(command: Command): Command {
  return command.addOption(forwardTo('Post each event to this address; only the path is optional.'));
}

function forwardTo(meaning: string): Option {
  return new Option('--forward-to <url>', meaning).argParser((text) => {
    // `localhost:3000` reads as a scheme to a URL parser.
    const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url.href;
    throw new InvalidArgumentError('Give an address like http://localhost:3000/webhooks.');
  });
}
