import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliIo } from './cli-io.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { CliFailure, ownFailure } from './failure.ts';
import { isRecord } from './output/json-value.ts';

/** A saved session: its user, its account and its server. */
export interface SavedProfile {
  readonly baseUrl: string;
  /** A bearer session token. */
  readonly token: string;
  readonly email: string;
  readonly accountName: string;
  readonly expiresAt: string;
}

export interface Profiles {
  /** The profile that is used by default, or null. */
  readonly current: string | null;
  readonly saved: Readonly<Record<string, SavedProfile>>;
}

export const DEFAULT_PROFILE = 'default';

const NONE: Profiles = { current: null, saved: {} };

/** The path of the profiles file; null if the environment names no directory for a user's own files. */
function profilesPath({ env }: Pick<CliIo, 'env'>): string | null {
  const own = env['POSTRIDER_CONFIG_DIR'];
  if (own) return join(own, FILE);
  const home = env['HOME'] || env['USERPROFILE'];
  const base = env['XDG_CONFIG_HOME'] || (home ? join(home, '.config') : null);
  return base === null ? null : join(base, 'postrider', FILE);
}

const FILE = 'credentials.json';

/** The saved profiles; none if the file does not exist. Rejects with a CliFailure if the file cannot be used. */
export async function readProfiles(io: Pick<CliIo, 'env'>): Promise<Profiles> {
  const path = profilesPath(io);
  if (path === null) return NONE;
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    if (code === 'ENOENT' || code === 'ENOTDIR') return NONE;
    throw unusable(path, `could not be read (${code})`);
  }
  const profiles = parse(content);
  if (profiles === null) throw unusable(path, 'is not a valid profiles file');
  return profiles;
}

/** Writes the file atomically and readable only by its owner. */
export async function writeProfiles(io: Pick<CliIo, 'env'>, profiles: Profiles): Promise<string> {
  const path = profilesPath(io);
  if (path === null) {
    const fix = 'Set HOME, or POSTRIDER_CONFIG_DIR to a directory of your own.';
    throw ownFailure(EXIT_CODES.unexpected, 'no_home', 'There is no place to save the profile', 'HOME is not set', fix);
  }
  try {
    await writeWhole(path, `${JSON.stringify(profiles, null, 2)}\n`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    const fix = 'Make that folder writable, or set POSTRIDER_CONFIG_DIR to a directory of your own.';
    const detail = `${path} could not be written (${code})`;
    throw ownFailure(EXIT_CODES.unexpected, 'profiles_not_written', 'The profile could not be saved', detail, fix);
  }
  return path;
}

async function writeWhole(path: string, content: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, content, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}

/** The profile that the command line or the environment names, or else the current one, or null. */
export async function findProfile(
  io: Pick<CliIo, 'env'>,
  named: string | undefined,
): Promise<{ readonly name: string; readonly profile: SavedProfile; readonly path: string } | null> {
  const requested = named ?? (io.env['POSTRIDER_PROFILE'] || undefined);
  const { current, saved } = await readProfiles(io);
  const name = requested ?? current;
  const profile = name === null ? undefined : Object.hasOwn(saved, name) ? saved[name] : undefined;
  if (name !== null && profile !== undefined) return { name, profile, path: profilesPath(io) ?? FILE };
  if (requested === undefined) return null;
  throw unknownProfile(requested, Object.keys(saved));
}

function unknownProfile(name: string, known: readonly string[]): Error {
  const list =
    known.length === 0
      ? 'There are no profiles yet. Sign in with postrider login.'
      : `Use one of: ${known.join(', ')}.`;
  return ownFailure(
    EXIT_CODES.authentication,
    'unknown_profile',
    `There is no profile ${name}`,
    `there is no profile named ${name}`,
    list,
  );
}

/** @throws CliFailure with "not found" if there is no such profile, because these commands are about the profile itself. */
export async function knownProfiles(io: CliIo, name: string): Promise<Profiles> {
  const profiles = await readProfiles(io);
  if (Object.hasOwn(profiles.saved, name)) return profiles;
  const failure = unknownProfile(name, Object.keys(profiles.saved));
  throw failure instanceof CliFailure ? new CliFailure(EXIT_CODES.notFound, failure.problem) : failure;
}

/** If the current profile is removed, none is current until the user chooses another. */
export function withoutProfile({ current, saved }: Profiles, name: string): Profiles {
  const left = Object.fromEntries(Object.entries(saved).filter(([other]) => other !== name));
  return { current: current === name ? null : current, saved: left };
}

function unusable(path: string, why: string): Error {
  const fix = 'Remove it and sign in again with postrider login.';
  return ownFailure(
    EXIT_CODES.authentication,
    'bad_profiles',
    'The saved profiles cannot be used',
    `${path} ${why}`,
    fix,
  );
}

function parse(content: string): Profiles | null {
  let data: unknown;
  try {
    data = JSON.parse(content);
  } catch {
    return null;
  }
  if (!isRecord(data) || !isRecord(data['saved'])) return null;
  const entries = Object.entries(data['saved']).map(([name, profile]) => [name, toProfile(profile)] as const);
  const current = typeof data['current'] === 'string' ? data['current'] : null;
  return entries.some(([, profile]) => profile === null)
    ? null
    : { current, saved: Object.fromEntries(entries) as Readonly<Record<string, SavedProfile>> }; // Checked by `some`.
}

function toProfile(given: unknown): SavedProfile | null {
  if (!isRecord(given)) return null;
  const { baseUrl, token, email, accountName, expiresAt } = given;
  const isWhole = [baseUrl, token, email, accountName, expiresAt].every((value) => typeof value === 'string');
  return isWhole ? ({ baseUrl, token, email, accountName, expiresAt } as unknown as SavedProfile) : null; // Checked above.
}
