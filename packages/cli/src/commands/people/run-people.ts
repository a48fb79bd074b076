import { connectTo, findCredentials } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import { EXIT_CODES, type ExitCode } from '../../exit-codes.ts';
import { CliFailure, ownFailure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { isRecord } from '../../output/json-value.ts';
import type { Output } from '../../output/output.ts';
import { renderAnswer } from '../../output/render-answer.ts';
import { renderTable } from '../../output/table.ts';
import { formatMinute } from '../../output/time.ts';
import { singleLine } from '../../output/untrusted-text.ts';
import { showSession } from '../../output/views/session.ts';
import { findProfile, type Profiles, readProfiles, unknownProfile, writeProfiles } from '../../profiles.ts';
import type { OwnRunner } from '../../runner.ts';
import { LOGIN, LOGOUT, PROFILES_LIST, PROFILES_REMOVE, PROFILES_USE, WHOAMI } from './describe-people.ts';
import { runLogin } from './run-login.ts';

/** Commands that find out by themselves whom to act as. */
export const PEOPLE_COMMAND_RUNNERS: Readonly<Record<string, OwnRunner>> = {
  [LOGIN.id]: ({ options }, output, io) => runLogin(options, output, io),
  [LOGOUT.id]: runLogout,
  [WHOAMI.id]: runWhoami,
  [PROFILES_LIST.id]: runList,
  [PROFILES_USE.id]: runUse,
  [PROFILES_REMOVE.id]: runRemove,
};

const NOTHING = { params: {}, query: {}, headers: {}, body: undefined } as const;

async function runLogout({ options }: Invocation, output: Output, io: CliIo): Promise<ExitCode> {
  const found = await findProfile(io, options.profile);
  if (found === null) {
    const fix = 'postrider login signs in.';
    throw ownFailure(EXIT_CODES.authentication, 'not_signed_in', 'Nobody is signed in', 'there is no profile', fix);
  }
  const { name, profile } = found;
  await connectTo({ apiKey: profile.token, baseUrl: profile.baseUrl }, options, io).call('auth.logout', NOTHING);
  await writeProfiles(io, without(await readProfiles(io), name));
  if (output.isJson) output.writeJson({ profile: name, signedOut: true });
  else output.writeText(`Signed out of ${singleLine(profile.accountName)}; the profile ${name} is forgotten.\n`);
  return EXIT_CODES.done;
}

async function runWhoami({ options }: Invocation, output: Output, io: CliIo): Promise<ExitCode> {
  const credentials = await findCredentials(options, io, true);
  const isPerson = credentials.apiKey?.startsWith(SESSION_PREFIX) === true;
  const { data } = await connectTo(credentials, options, io).call(isPerson ? 'auth.session' : 'keys.self', NOTHING);
  if (isPerson && !(isRecord(data) && data['authenticated'] === true)) throw sessionEnded();
  if (output.isJson) output.writeJson(data);
  else if (isRecord(data) && isPerson) showSession(data, output);
  else renderAnswer('keys.self', data, output, new Date());
  return EXIT_CODES.done;
}

/** By it a session's token is told from a key. */
const SESSION_PREFIX = 'prs_';

function sessionEnded(): Error {
  const fix = 'Sign in again: postrider login';
  return ownFailure(EXIT_CODES.authentication, 'session_required', 'Nobody is signed in', 'the session has ended', fix);
}

async function runList(_invocation: Invocation, output: Output, io: CliIo): Promise<ExitCode> {
  const { current, saved } = await readProfiles(io);
  const profiles = Object.entries(saved).map(([name, { token: _secret, ...rest }]) => {
    return { name, current: name === current, ...rest };
  });
  if (output.isJson) {
    output.writeJson({ profiles });
    return EXIT_CODES.done;
  }
  const cells = (name: 'email' | 'accountName' | 'baseUrl') => profiles.map((profile) => singleLine(profile[name]));
  const columns = [
    { title: 'name', cells: profiles.map(({ name, current: isUsed }) => `${isUsed ? '* ' : '  '}${name}`) },
    { title: 'person', cells: cells('email') },
    { title: 'account', cells: cells('accountName'), dropOrder: 2 },
    { title: 'server', cells: cells('baseUrl') },
    { title: 'ends (utc)', cells: profiles.map(({ expiresAt }) => formatMinute(singleLine(expiresAt))), dropOrder: 1 },
  ];
  if (profiles.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  else output.remark('No profiles. postrider login makes one.');
  return EXIT_CODES.done;
}

async function runUse({ ownArguments }: Invocation, output: Output, io: CliIo): Promise<ExitCode> {
  const [name = ''] = ownArguments;
  const profiles = await known(io, name);
  await writeProfiles(io, { ...profiles, current: name });
  if (output.isJson) output.writeJson({ profile: name, current: true });
  else output.writeText(`${name} is in use.\n`);
  return EXIT_CODES.done;
}

async function runRemove({ ownArguments }: Invocation, output: Output, io: CliIo): Promise<ExitCode> {
  const [name = ''] = ownArguments;
  await writeProfiles(io, without(await known(io, name), name));
  if (output.isJson) output.writeJson({ profile: name, removed: true });
  else output.writeText(`${name} is forgotten.\n`);
  return EXIT_CODES.done;
}

/** @throws CliFailure where there is no profile of this name; to these commands it is what they were asked about. */
async function known(io: CliIo, name: string): Promise<Profiles> {
  const profiles = await readProfiles(io);
  if (Object.hasOwn(profiles.saved, name)) return profiles;
  const failure = unknownProfile(name, Object.keys(profiles.saved));
  throw failure instanceof CliFailure ? new CliFailure(EXIT_CODES.notFound, failure.problem) : failure;
}

/** Where the one in use goes, none is until another is chosen. */
function without({ current, saved }: Profiles, name: string): Profiles {
  const left = Object.fromEntries(Object.entries(saved).filter(([other]) => other !== name));
  return { current: current === name ? null : current, saved: left };
}
