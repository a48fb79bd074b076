import { type ApiConnection, connect } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { CliFailure } from '../failure.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { ShownOutput } from '../operation-types.ts';
import { isRecord, textOf } from '../output/json-value.ts';
import { formatTime } from '../output/time.ts';
import { singleLine } from '../output/untrusted-text.ts';
import { type Finding, fail, pass, skip, warn } from './doctor-check.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;

/** Checks that the server knows the key, and reports its scopes. */
export async function checkKey(options: GlobalOptions, io: CliIo): Promise<Finding> {
  let connection: ApiConnection;
  try {
    connection = await connect(options, io, true);
    return await tryKey(connection);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    const { exitCode, problem } = error;
    // Other checks report an unreachable server and a missing key.
    if (exitCode === EXIT_CODES.unavailable || problem.status === null)
      return skip('key', 'The key could not be checked.');
    return fail('key', singleLine(problem.detail), singleLine(problem.fix ?? 'Use another key.'), exitCode);
  }
}

/** The credential can be a user's session instead of a key. */
async function tryKey(connection: ApiConnection): Promise<Finding> {
  try {
    const { record } = await connection.call('keys.self', {}, 0);
    return judge(record);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.problem.code !== 'missing_key') throw error;
    const { record } = await connection.call('auth.session', {}, 0);
    return judgeSession(record);
  }
}

function judgeSession({ user, expiresAt }: ShownOutput<'auth.session'>): Finding {
  const { email, role } = isRecord(user) ? user : {};
  const who = `${singleLine(textOf(email))} is signed in as ${singleLine(textOf(role))}`;
  return pass('key', `${who} until ${formatTime(singleLine(textOf(expiresAt)))}.`);
}

function judge(key: ShownOutput<'keys.self'>): Finding {
  const text = (name: keyof typeof key) => singleLine(textOf(key[name]));
  const what = `The key ${text('prefix')}…${text('last4')} is valid`;
  const scopes = `scopes: ${text('scopes')}`;
  const expiresAt = text('expiresAt');
  if (expiresAt === '') return pass('key', `${what} and does not expire; ${scopes}.`);
  const message = `${what} until ${formatTime(expiresAt)}; ${scopes}.`;
  const isSoon = Date.parse(expiresAt) - Date.now() < SOON_DAYS * DAY_MS;
  return isSoon ? warn('key', message, 'Create a new key before then, or rotate this one.') : pass('key', message);
}
