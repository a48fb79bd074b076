import { readCredentials } from '@postrider/mcp/credentials';
import { Download, type OperationId, Postrider, PostriderError } from '@postrider/sdk';
import type { CliIo } from './cli-io.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { type FailureProblem, ownFailure, requestFailure, usageFailure } from './failure.ts';
import type { GlobalOptions } from './global-options.ts';
import type { OperationInput } from './operation-input.ts';
import { isRecord } from './output/json-value.ts';

export interface ApiAnswer {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
}

/** The server as commands see it. Calls reject with a CliFailure, or with the signal's reason where the user interrupts. */
export interface ApiConnection {
  /** `maxRetries`: attempts after the first one; the SDK's own number unless given. */
  call(operationId: string, input: OperationInput, maxRetries?: number): Promise<ApiAnswer>;
  /** Calls an operation that answers a file; reading it rejects as calls do. */
  download(operationId: string, input: OperationInput): Promise<Download>;
}

interface Credentials {
  /** Null for commands that work without one. */
  readonly apiKey: string | null;
  /** Undefined: the SDK's own. */
  readonly baseUrl: string | undefined;
}

/**
 * Finds out which server to call and with which key; no request is made yet. Rejects with a CliFailure where there is no key to use, and the
 * command needs one.
 */
export async function connect(options: GlobalOptions, io: CliIo, needsKey: boolean): Promise<ApiConnection> {
  const client = createClient(await findCredentials(options, io, needsKey), options);
  return {
    call: async (operationId, input, maxRetries) => {
      // The catalogue of commands and the SDK's operations are generated from the same registry.
      const id = operationId as OperationId;
      try {
        return await client.requestOperation(id, input, { signal: io.signal, maxRetries });
      } catch (error) {
        throw toCliFailure(error, options);
      }
    },
    download: async (operationId, input) => {
      try {
        const answer = await client.openOperation(operationId as OperationId, input, { signal: io.signal }); // As above.
        return new Download({ ...answer, chunks: tellingFailures(answer.chunks, options) });
      } catch (error) {
        throw toCliFailure(error, options);
      }
    },
  };
}

async function* tellingFailures(chunks: AsyncIterable<Uint8Array>, options: GlobalOptions) {
  try {
    yield* chunks;
  } catch (error) {
    throw toCliFailure(error, options);
  }
}

/** Flags take the place of the environment variables of the same meaning; the rest is the one rule that all our clients share. */
export async function findCredentials(options: GlobalOptions, io: CliIo, needsKey: boolean): Promise<Credentials> {
  const environment = {
    ...io.env,
    ...(options.apiKey === undefined ? {} : { POSTRIDER_API_KEY: options.apiKey }),
    ...(options.baseUrl === undefined ? {} : { POSTRIDER_BASE_URL: options.baseUrl }),
    ...(options.dataDir === undefined ? {} : { POSTRIDER_DATA_DIR: options.dataDir }),
  };
  const verdict = await readCredentials(environment, io.cwd);
  if (!verdict.ok && !needsKey) return { apiKey: null, baseUrl: environment['POSTRIDER_BASE_URL'] || undefined };
  if (!verdict.ok) {
    const fix =
      'Give --api-key and --base-url, set POSTRIDER_API_KEY and POSTRIDER_BASE_URL, or name a profile with --data-dir.';
    throw ownFailure(EXIT_CODES.authentication, 'missing_key', 'There is no API key to use', verdict.message, fix);
  }
  return verdict.credentials;
}

function createClient({ apiKey, baseUrl }: Credentials, { timeoutSeconds }: GlobalOptions): Postrider {
  try {
    return new Postrider({ apiKey, baseUrl, timeoutMs: timeoutSeconds * 1_000 });
  } catch (error) {
    throw usageFailure(
      messageOf(error),
      'Check --api-key and --base-url, and the variables and the profile they stand for.',
    );
  }
}

function toCliFailure(error: unknown, options: GlobalOptions): unknown {
  if (error instanceof PostriderError) return requestFailure(toProblem(error, options), error.status);
  // The SDK's word for an input that no request can carry, such as a dot segment as an id.
  if (error instanceof TypeError) return usageFailure(messageOf(error), 'Check the value.');
  return error;
}

/** The API's problem body as it came, so that no member of it is lost; where there was none, what the SDK found. */
function toProblem(error: PostriderError, options: GlobalOptions): FailureProblem {
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
  return isRecord(error.body) && code !== 'unexpected_answer' ? { ...base, ...error.body } : base;
}

/** The SDK speaks of its options; here the same things are flags. */
function fixOf(error: PostriderError, { timeoutSeconds }: GlobalOptions): string {
  const { code, fix, idempotencyKey } = error;
  if (error.status !== null) return fix;
  const look =
    code === 'timeout'
      ? `Give it more than ${timeoutSeconds} s with --timeout.`
      : 'Check that the server runs and that --base-url (or POSTRIDER_BASE_URL) is its address.';
  if (idempotencyKey === null) return look;
  return `${look} It may have been accepted all the same: repeat it with --idempotency-key ${idempotencyKey}, and it is not sent twice.`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
