import type { CommandDescription } from '../../command-description.ts';

export const DOCTOR_COMMAND = 'doctor';

/** Looks at this installation of the CLI and at the server it is to talk to. */
export const DOCTOR: CommandDescription = {
  id: DOCTOR_COMMAND,
  command: DOCTOR_COMMAND,
  summary: 'Check the connection',
  description:
    'Checks the key and where it comes from, whether the server is reached and ready, its certificate, whether webhook endpoints fail, the clock and the versions, and says how to mend what is wrong. With `--json`: `{ok, checks: [{name, status: pass|warn|fail|skip, message, fix}]}`. What the server stands on is checked by `postrider-server doctor`, on its machine.',
  needsKey: false,
  scope: null,
  examples: ['postrider doctor', 'postrider doctor --json | jq .ok'],
  inputs: [],
};
