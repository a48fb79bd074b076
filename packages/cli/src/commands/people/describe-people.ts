import { type Command, InvalidArgumentError } from 'commander';
import type { CommandDescription } from '../../command-description.ts';
import { PROFILE_NAME } from '../../profile-name.ts';

function own(command: string, summary: string, description: string, examples: readonly string[]): CommandDescription {
  return { id: command, command, summary, description, needsKey: false, scope: null, examples, inputs: [] };
}

export const LOGIN = own(
  'login',
  'Sign in as a person',
  'Prints an address and a code. Open the address in any browser, sign in there and type the code. The page shows what the session may do. It may approve and reject held sends only if you tick that box. The command then stores the session in a profile, and every command without a key uses it. It does not open a browser.',
  ['postrider login --base-url https://mail.example.com', 'postrider login --profile work'],
);

export const LOGOUT = own(
  'logout',
  'Sign out',
  'Ends the session of the profile on the server, and forgets the profile. A session that has ended already is forgotten all the same.',
  ['postrider logout', 'postrider logout --profile work'],
);

export const WHOAMI = own(
  'whoami',
  'Show who commands act as',
  'Shows the signed-in user, their role and account, and whether this sign-in may decide held sends. With a key, shows what the key may do.',
  ['postrider whoami', 'postrider whoami --json | jq -r .user.email'],
);

export const PROFILES_LIST = own(
  'profiles list',
  'List the profiles',
  'The sign-ins that are kept on this machine, without their secrets. The one in use is marked.',
  ['postrider profiles list'],
);

export const PROFILES_USE = own(
  'profiles use',
  'Choose the profile in use',
  'From now on commands that name no profile use this one.',
  ['postrider profiles use work'],
);

export const PROFILES_REMOVE = own(
  'profiles remove',
  'Forget a profile',
  'Takes the profile from this machine. Its session goes on until it ends; postrider logout ends it as well.',
  ['postrider profiles remove work'],
);

export const PEOPLE_COMMANDS: readonly CommandDescription[] = [
  LOGIN,
  LOGOUT,
  WHOAMI,
  PROFILES_LIST,
  PROFILES_USE,
  PROFILES_REMOVE,
];

/** The profile's name, where a command is about one. */
export function describeProfiles(command: Command, id: string): Command {
  if (id !== PROFILES_USE.id && id !== PROFILES_REMOVE.id) return command;
  return command.usage('<name> [options]').argument('<name>', 'Name of the profile.', readProfileName);
}

function readProfileName(text: string): string {
  if (PROFILE_NAME.test(text)) return text;
  throw new InvalidArgumentError('Use letters, digits, hyphens, dots and underscores.');
}
