import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** What a client needs to call a server. */
export interface Credentials {
  readonly apiKey: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

export type CredentialsVerdict =
  /** `path`: the file with the key; null if it comes from the environment. */
  | { readonly ok: true; readonly credentials: Credentials; readonly path: string | null }
  /** `message`: what is missing and what to do, for the user's terminal. */
  | { readonly ok: false; readonly message: string };

/** The default profile: a development server writes it to its data directory for tools on the same machine. */
export interface Profile {
  readonly path: string;
  readonly key: string;
  readonly baseUrl: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

type ProfileVerdict =
  | { readonly ok: true; readonly profile: Profile | null }
  | { readonly ok: false; readonly message: string };

const DEFAULT_BASE_URL = 'http://127.0.0.1:8025';
const DEFAULT_DATA_DIRECTORY = '.postrider';

/**
 * The key and address of the command line tools: POSTRIDER_API_KEY and POSTRIDER_BASE_URL, with the profile for what is not set. The
 * profile's key is only used at the profile's own address: it must not be sent to a server that only the environment names.
 */
export async function readCredentials(environment: Environment, directory: string): Promise<CredentialsVerdict> {
  const apiKey = given(environment['POSTRIDER_API_KEY']);
  const address = given(environment['POSTRIDER_BASE_URL']);
  const baseUrl = address === null ? null : toBaseUrl(address);
  if (address !== null && baseUrl === null) return refuse('POSTRIDER_BASE_URL is not an http or https URL.');
  if (apiKey !== null && baseUrl !== null) return { ok: true, credentials: { apiKey, baseUrl }, path: null };
  const verdict = await readProfile(environment, directory);
  if (!verdict.ok) return verdict;
  const { profile } = verdict;
  if (apiKey !== null) return withGivenKey(apiKey, profile, given(environment['POSTRIDER_DATA_DIR']) !== null);
  if (profile === null) return refuse(missingKey(profilePath(environment, directory)));
  if (baseUrl !== null && baseUrl !== profile.baseUrl) {
    return refuse(
      `No API key for ${baseUrl}: the one in ${profile.path} belongs to ${profile.baseUrl}. Set POSTRIDER_API_KEY.`,
    );
  }
  return { ok: true, credentials: { apiKey: profile.key, baseUrl: profile.baseUrl }, path: profile.path };
}

/**
 * The user's own key, at the address in the profile. A profile that was not chosen explicitly is in the working directory, which may be a
 * checkout of someone else's project: the key is sent to its address only if that is this machine.
 */
function withGivenKey(apiKey: string, profile: Profile | null, isNamed: boolean): CredentialsVerdict {
  const baseUrl = profile?.baseUrl ?? DEFAULT_BASE_URL;
  if (isNamed || isLoopback(baseUrl)) return { ok: true, credentials: { apiKey, baseUrl }, path: null };
  return refuse(
    `A key is set, but not its server, and the profile of this directory names ${baseUrl}. If the key belongs there, set POSTRIDER_BASE_URL to it.`,
  );
}

/** Whether the URL names this machine. */
export function isLoopback(address: string): boolean {
  const hostname = URL.parse(address)?.hostname ?? '';
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * The profile in POSTRIDER_DATA_DIR, or in ./.postrider; null if there is none. Throws an error that names the file if it cannot be used.
 */
export async function readProfile(environment: Environment, directory: string): Promise<ProfileVerdict> {
  const path = profilePath(environment, directory);
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { ok: true, profile: null };
    return refuse(`${path} could not be read (${codeOf(error)}).`);
  }
  const profile = parseProfile(content, path);
  return profile === null
    ? refuse(`${path} does not contain a baseUrl and a key. Start the server again, or remove the file.`)
    : { ok: true, profile };
}

function profilePath(environment: Environment, directory: string): string {
  return join(
    resolve(directory, given(environment['POSTRIDER_DATA_DIR']) ?? DEFAULT_DATA_DIRECTORY),
    'quickstart.json',
  );
}

function parseProfile(content: string, path: string): Profile | null {
  let data: unknown;
  try {
    data = JSON.parse(content);
  } catch {
    return null;
  }
  if (typeof data !== 'object' || data === null || !('key' in data) || !('baseUrl' in data)) return null;
  const { key, baseUrl: address } = data;
  if (typeof key !== 'string' || key === '' || typeof address !== 'string') return null;
  const baseUrl = toBaseUrl(address);
  return baseUrl === null ? null : { path, key, baseUrl };
}

/** An empty variable counts as unset, because that is how shells and client configurations unset one. */
function given(value: string | undefined): string | null {
  const trimmed = value?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

function toBaseUrl(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function missingKey(path: string): string {
  return `No API key. Set POSTRIDER_API_KEY (and POSTRIDER_BASE_URL), or start a server here that writes ${path}.`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}

function refuse(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
