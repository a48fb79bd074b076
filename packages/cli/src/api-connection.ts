import { readCredentials } from '@postrider/mcp/credentials';
import {
  Download,
  type HttpRequest,
  type OperationId,
  Postrider,
  PostriderError,
  type OperationInput as SdkInput,
  type ApiResponse as SdkResponse,
} from '@postrider/sdk';
import type { CliIo } from './cli-io.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { type FailureProblem, ownFailure, requestFailure, usageFailure } from './failure.ts';
import type { GlobalOptions } from './global-options.ts';
import { carryRequest } from './http-transport.ts';
import type { OperationInput } from './operation-input.ts';
import type { CallInput, ShownOutput } from './operation-types.ts';
import { isRecord } from './output/json-value.ts';
import { findProfile, readProfiles } from './profiles.ts';

/** Only short waits are made here. For longer ones a script sees the exit code of the rate limit and decides itself. */
const MAX_RETRY_AFTER_MS = 10_000;

export interface ApiResponse {
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
}

/** The response of a known operation. */
export interface OperationResponse<Id extends OperationId> extends ApiResponse {
  /** The data with the field names of the operation's output; empty if the data is not an object. */
  readonly record: ShownOutput<Id>;
}

/** The server as commands see it. Calls reject with a CliFailure, or with the signal's reason if the user interrupts. */
export interface ApiConnection {
  /** Sends a request by method and path. */
  request(request: HttpRequest): Promise<SdkResponse>;
  /** `maxRetries`: attempts after the first one; by default those of the SDK. */
  call<Id extends OperationId>(id: Id, input: CallInput<Id>, maxRetries?: number): Promise<OperationResponse<Id>>;
  /** Calls the operation of a command with the values of the command line, which the server validates. */
  callCommand(operationId: string, input: OperationInput, maxRetries?: number): Promise<ApiResponse>;
  /**
   * Calls an operation that returns a file; reading it rejects as calls do.
   * @param timeoutMs for each chunk; by default the timeout of the command.
   */
  download(operationId: string, input: OperationInput, timeoutMs?: number): Promise<Download>;
}

export interface Credentials {
  /** Null for commands that work without one. */
  readonly apiKey: string | null;
  /** Undefined: the default of the SDK. */
  readonly baseUrl: string | undefined;
}

/** The file that credentials were read from. */
export type CredentialsFile =
  | { readonly kind: 'sign-in'; readonly name: string; readonly path: string }
  | { readonly kind: 'quickstart'; readonly path: string };

export interface FoundCredentials extends Credentials {
  /** Null if a flag or a variable sets the key. */
  readonly file: CredentialsFile | null;
}

/**
 * Finds the server to call and the key to call it with, without a request. Rejects with a CliFailure if the command needs a key and there is
 * none.
 */
export async function connect(options: GlobalOptions, io: CliIo, needsKey: boolean): Promise<ApiConnection> {
  return connectTo(await findCredentials(options, io, needsKey), options, io);
}

/** The same with credentials that are known. */
export function connectTo(credentials: Credentials, options: GlobalOptions, io: CliIo): ApiConnection {
  const client = createClient(credentials, options);
  const callOperation = async (id: OperationId, input: SdkInput, maxRetries?: number): Promise<ApiResponse> => {
    try {
      const response = await client.requestOperation(id, input, { signal: io.signal, maxRetries });
      return { ...response, data: await nameCommandsIn(response.data) };
    } catch (error) {
      throw await toCliFailure(error, options);
    }
  };
  return {
    request: async (request) => {
      try {
        return await client.request({ ...request, signal: io.signal });
      } catch (error) {
        throw await toCliFailure(error, options);
      }
    },
    call: async (id, input, maxRetries) => {
      const response = await callOperation(id, input, maxRetries);
      return { ...response, record: isRecord(response.data) ? response.data : {} };
    },
    // The catalogue of commands and the SDK's operations are generated from the same registry.
    callCommand: async (operationId, input, maxRetries) =>
      await callOperation(operationId as OperationId, input, maxRetries),
    download: async (operationId, input, timeoutMs) => {
      try {
        const id = operationId as OperationId; // See callCommand.
        const response = await client.openOperation(id, input, { signal: io.signal, timeoutMs });
        return new Download({ ...response, chunks: withCliFailures(response.chunks, options) });
      } catch (error) {
        throw await toCliFailure(error, options);
      }
    },
  };
}

async function* withCliFailures(chunks: AsyncIterable<Uint8Array>, options: GlobalOptions) {
  try {
    yield* chunks;
  } catch (error) {
    throw await toCliFailure(error, options);
  }
}

/** The server to sign in to: the one that is named, that of the profile, or the one on this machine. */
export async function findAddress(options: GlobalOptions, io: CliIo): Promise<string> {
  const named = options.baseUrl ?? (io.env['POSTRIDER_BASE_URL'] || undefined);
  if (named !== undefined) return named.replace(/\/+$/, '');
  const { saved, current } = await readProfiles(io);
  const name = options.profile ?? (io.env['POSTRIDER_PROFILE'] || current);
  const known = name === null || !Object.hasOwn(saved, name) ? undefined : saved[name];
  if (known !== undefined) return known.baseUrl;
  const { baseUrl } = await findCredentials({ ...options, profile: undefined }, io, false);
  return baseUrl ?? DEFAULT_BASE_URL;
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:8025';

/**
 * The profile to use: flags come first, then the environment, then the current profile. A profile's token is sent only to the server that
 * issued it.
 */
async function findSignIn(options: GlobalOptions, io: CliIo): Promise<FoundCredentials | null> {
  if (options.apiKey !== undefined) return null;
  if (options.profile === undefined && (io.env['POSTRIDER_API_KEY'] || options.dataDir !== undefined)) return null;
  const found = await findProfile(io, options.profile);
  if (found === null) return null;
  const { token, baseUrl } = found.profile;
  const named = options.baseUrl ?? (io.env['POSTRIDER_BASE_URL'] || undefined);
  if (named === undefined || named.replace(/\/+$/, '') === baseUrl)
    return { apiKey: token, baseUrl, file: { kind: 'sign-in', name: found.name, path: found.path } };
  if (options.profile === undefined) return null;
  throw usageFailure(`the profile ${found.name} is for ${baseUrl}`, 'Omit --base-url, or choose another profile.');
}

/** Flags replace the environment variables of the same meaning. Everything else follows the rule that all clients share. */
export async function findCredentials(options: GlobalOptions, io: CliIo, needsKey: boolean): Promise<FoundCredentials> {
  const signIn = await findSignIn(options, io);
  if (signIn !== null) return signIn;
  const environment = {
    ...io.env,
    ...(options.apiKey === undefined ? {} : { POSTRIDER_API_KEY: options.apiKey }),
    ...(options.baseUrl === undefined ? {} : { POSTRIDER_BASE_URL: options.baseUrl }),
    ...(options.dataDir === undefined ? {} : { POSTRIDER_DATA_DIR: options.dataDir }),
  };
  const verdict = await readCredentials(environment, io.cwd);
  if (!verdict.ok && !needsKey)
    return { apiKey: null, baseUrl: environment['POSTRIDER_BASE_URL'] || undefined, file: null };
  if (!verdict.ok) {
    const fix =
      'Sign in with postrider login, pass --api-key and --base-url, set POSTRIDER_API_KEY and POSTRIDER_BASE_URL, or choose a profile with --profile or --data-dir.';
    throw ownFailure(EXIT_CODES.authentication, 'missing_key', 'No API key found', verdict.message, fix);
  }
  const { path } = verdict;
  return { ...verdict.credentials, file: path === null ? null : { kind: 'quickstart', path } };
}

function createClient({ apiKey, baseUrl }: Credentials, { timeoutSeconds }: GlobalOptions): Postrider {
  try {
    const timeoutMs = timeoutSeconds * 1_000;
    return new Postrider({ apiKey, baseUrl, timeoutMs, maxRetryAfterMs: MAX_RETRY_AFTER_MS, transport: carryRequest });
  } catch (error) {
    throw usageFailure(
      messageOf(error),
      'Check --api-key and --base-url, or the variables or the profile that set them.',
    );
  }
}

/** Loads the command names only for a body with a fix: most responses have none, and commands start faster without them. */
async function nameCommandsIn<T>(data: T): Promise<T> {
  if (!hasFix(data)) return data;
  const { inCommandNames } = await import('./command-names.ts');
  return inCommandNames(data);
}

function hasFix(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasFix);
  return isRecord(value) && ('fix' in value || Object.values(value).some(hasFix));
}

async function toCliFailure(error: unknown, options: GlobalOptions): Promise<unknown> {
  if (error instanceof PostriderError) return requestFailure(await toProblem(error, options), error.status);
  // The SDK throws this for an input that no request can carry, such as a dot segment as an id.
  if (error instanceof TypeError) return usageFailure(messageOf(error), 'Check the value.');
  return error;
}

/** The API's problem body with all its members; without one, what the SDK reports. */
async function toProblem(error: PostriderError, options: GlobalOptions): Promise<FailureProblem> {
  const { code, status, detail, retryable, requestId } = error;
  const base = {
    type: 'about:blank',
    title: code,
    status,
    detail,
    code,
    fix: fixOf(error, options),
    retryable,
    requestId,
  };
  if (!isRecord(error.body) || code === 'unexpected_answer') return base;
  const { nameCommands } = await import('./command-names.ts');
  return { ...base, ...error.body, detail: nameCommands(detail), fix: nameCommands(withSeconds(error)) };
}

/** Response headers are not shown, so the text names the number of seconds. */
function withSeconds({ fix, retryAfterMs }: PostriderError): string {
  return retryAfterMs === null
    ? fix
    : fix.replace('the seconds in `retry-after`', `${Math.ceil(retryAfterMs / 1_000)} s`);
}

/** The SDK names its options; here the same settings are flags. */
function fixOf(error: PostriderError, { timeoutSeconds }: GlobalOptions): string {
  const { code, fix, idempotencyKey } = error;
  if (error.status !== null) return fix.replace('baseUrl', '--base-url (or POSTRIDER_BASE_URL)');
  const advice = code === 'timeout' ? `Allow more than ${timeoutSeconds} s with --timeout.` : fixOfConnection(error);
  if (idempotencyKey === null) return advice;
  return `${advice} The server may have accepted the request anyway: repeat it with --idempotency-key ${idempotencyKey} so that nothing is sent twice.`;
}

/** By the error code of Node or of its TLS. */
function fixOfConnection({ detail }: PostriderError): string {
  if (/\((EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))\)/.test(detail))
    return 'The server at this address does not use TLS. If it is on a network you trust, use http:// in --base-url.';
  if ([...detail.matchAll(/\((\w+)\)/g)].some(([, code = '']) => OF_CERTIFICATES.test(code)))
    return 'The server’s certificate is not trusted. Run postrider doctor to see why. For your own certificate authority, set NODE_EXTRA_CA_CERTS to its file.';
  return 'Check that the server is running and that --base-url (or POSTRIDER_BASE_URL) is its address. Run postrider doctor to check the connection.';
}

const OF_CERTIFICATES = /CERT|ISSUER|^UNABLE_TO_VERIFY_|^ERR_TLS_/;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
