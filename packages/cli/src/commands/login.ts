import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiConnection, connectTo, findAddress } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { defineCommand } from '../define-command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { CliFailure, ownFailure } from '../failure.ts';
import type { GlobalOptions } from '../global-options.ts';
import { isRecord, type JsonRecord, textOf } from '../output/json-value.ts';
import { singleLine } from '../output/untrusted-text.ts';
import { decidesNothing, HOW_TO_DECIDE, showSession } from '../output/views/session.ts';
import { DEFAULT_PROFILE, readProfiles, writeProfiles } from '../profiles.ts';
import { readVersion } from '../version.ts';

/** No user is faster than this; after that, the server's interval applies. */
const FIRST_PAUSE_SECONDS = 1;
/** RFC 8628, section 3.5. */
const SLOWER_SECONDS = 5;

/** Signs in with the device flow of RFC 8628: the user types the code on a page in any browser. */
export const definition = defineCommand({
  id: 'login',
  about: {
    summary: 'Sign in as a user',
    description:
      'Prints an address and a code. Open the address in any browser, sign in there and type the code. The page shows what the session may do. It may approve and reject held sends only if you tick that box. The command then saves the session in a profile, which every command without a key uses. It does not open a browser.',
    needsKey: false,
    scope: null,
    examples: ['postrider login --base-url https://mail.example.com', 'postrider login --profile work'],
  },
  async runAlone({ options }, output, io) {
    const baseUrl = await findAddress(options, io);
    const anonymous = connectTo({ apiKey: null, baseUrl }, options, io);
    const device = (await anonymous.call('auth.device', { body: { client: describeThisProgram() } })).record;
    const [url, code] = [singleLine(textOf(device['verificationUrl'])), singleLine(textOf(device['userCode']))];
    // Always printed, also with --quiet and --json: the sign-in cannot continue without it.
    io.stderr.write(`Open ${url}\nand type the code ${code}\n`);
    output.remark('To approve or reject held sends from here, tick that box on the page. It is off by default.');
    const token = await waitForToken(anonymous, device, io);
    const { record: session } = await connectTo({ apiKey: token, baseUrl }, options, io).call('auth.session', {});
    const name = await saveProfile(options, io, baseUrl, token, session);
    if (output.isJson) output.writeJson({ profile: name, baseUrl, ...session });
    else showSession(session, output);
    output.remark(`Saved as the profile ${name}.`);
    if (decidesNothing(session)) output.remark(HOW_TO_DECIDE);
    return EXIT_CODES.done;
  },
});

async function waitForToken(connection: ApiConnection, device: JsonRecord, io: CliIo): Promise<string> {
  let intervalSeconds = Number(device['interval']) || SLOWER_SECONDS;
  let pauseSeconds = Math.min(FIRST_PAUSE_SECONDS, intervalSeconds);
  for (;;) {
    await pause(pauseSeconds * 1_000, undefined, io.signal === undefined ? {} : { signal: io.signal });
    try {
      const body = { deviceCode: textOf(device['deviceCode']) };
      return textOf((await connection.call('auth.device-token', { body })).record.token);
    } catch (error) {
      const code = error instanceof CliFailure ? error.problem.code : '';
      if (code === 'slow_down') intervalSeconds += SLOWER_SECONDS;
      else if (code === 'device_code_expired') throw notConfirmed();
      else if (code !== 'authorization_pending') throw error;
      pauseSeconds = intervalSeconds;
    }
  }
}

/** The name of this program on the page. Only characters that are safe in a name are kept. */
function describeThisProgram(): string {
  const host = hostname().replaceAll(/[^\w.-]/g, '');
  return `Postrider CLI ${readVersion()}${host === '' ? '' : ` on ${host}`}`.slice(0, MAX_CLIENT_CHARACTERS);
}

/** The limit of the contract for `client` of `POST /auth/device`. */
const MAX_CLIENT_CHARACTERS = 100;

function notConfirmed(): Error {
  const detail = 'the code expired or was denied on the page';
  return ownFailure(
    EXIT_CODES.authentication,
    'device_code_expired',
    'The sign-in was not confirmed',
    detail,
    'Try again: postrider login',
  );
}

async function saveProfile(
  options: GlobalOptions,
  io: CliIo,
  baseUrl: string,
  token: string,
  session: JsonRecord,
): Promise<string> {
  const [user, account] = [recordOf(session['user']), recordOf(session['account'])];
  const { current, saved } = await readProfiles(io);
  const name = options.profile ?? (io.env['POSTRIDER_PROFILE'] || current || DEFAULT_PROFILE);
  const profile = {
    ...{ baseUrl, token, email: textOf(user['email']), accountName: textOf(account['name']) },
    expiresAt: textOf(session['expiresAt']),
  };
  await writeProfiles(io, { current: name, saved: { ...saved, [name]: profile } });
  return name;
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
