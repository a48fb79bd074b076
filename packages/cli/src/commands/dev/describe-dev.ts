import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandDescription } from '../../command-description.ts';
import { addListenFlags, EVENTS } from '../webhooks/describe-webhooks.ts';

export const DEV_COMMAND = 'dev';

/** A server for development and its events in one terminal. */
export const DEV: CommandDescription = {
  id: DEV_COMMAND,
  command: DEV_COMMAND,
  summary: 'Run a server for development, and follow it',
  description:
    'Starts a server in development mode on this machine, where mail is caught and leaves nowhere, and shows each event as it happens, until Ctrl-C, which ends the server too. Key and address are in `quickstart.json` of the data directory, where every other command finds them. With `--forward-to` each event is posted to a program of yours, signed as a real delivery is. A server that runs there already is followed, and left running. With `--json` each event is a JSON document on a line of its own.',
  needsKey: false,
  scope: null,
  examples: [
    'postrider dev',
    'postrider dev --port 9025 --data-dir /tmp/mail --forward-to http://localhost:3000/webhooks/postrider',
    'postrider dev --events email.bounced --json | jq .event.data',
  ],
  inputs: [EVENTS],
};

const PORT_MAX = 65_535;

export function describeDev(command: Command): Command {
  const program = 'The program to start; else postrider-server of node_modules here or further up, else of the PATH.';
  return addListenFlags(command)
    .addOption(
      new Option('--port <number>', 'HTTP port of the server; else POSTRIDER_PORT, else 8025.').argParser(parsePort),
    )
    .addOption(new Option('--server <program>', program));
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${PORT_MAX}.`);
}
