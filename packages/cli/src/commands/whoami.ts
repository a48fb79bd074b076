import { connectTo, findCredentials } from '../api-connection.ts';
import { defineCommand } from '../define-command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { ownFailure } from '../failure.ts';
import { isRecord } from '../output/json-value.ts';
import { renderResult } from '../output/render-result.ts';
import { showSession } from '../output/views/session.ts';

export const definition = defineCommand({
  id: 'whoami',
  about: {
    summary: 'Show the current user or key',
    description:
      'Shows the signed-in user, their role and account, and whether this sign-in can decide held sends. With a key, shows what the key can do.',
    needsKey: false,
    scope: null,
    examples: ['postrider whoami', 'postrider whoami --json | jq -r .user.email'],
  },
  async runAlone({ options }, output, io) {
    const credentials = await findCredentials(options, io, true);
    const isPerson = credentials.apiKey?.startsWith(SESSION_PREFIX) === true;
    const { data } = await connectTo(credentials, options, io).call(isPerson ? 'auth.session' : 'keys.self', {});
    if (isPerson && !(isRecord(data) && data['authenticated'] === true)) throw sessionEnded();
    if (output.isJson) output.writeJson(data);
    else if (isRecord(data) && isPerson) showSession(data, output);
    else await renderResult('keys.self', data, output, new Date());
    return EXIT_CODES.done;
  },
});

/** Distinguishes session tokens from keys. */
const SESSION_PREFIX = 'prs_';

function sessionEnded(): Error {
  const fix = 'Sign in again: postrider login';
  return ownFailure(EXIT_CODES.authentication, 'session_required', 'Not signed in', 'the session has ended', fix);
}
