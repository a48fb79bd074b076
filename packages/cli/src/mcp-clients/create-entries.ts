import { dirname, resolve } from 'node:path';
import { readProfile } from '@postrider/mcp/credentials';
import { findAddress, findCredentials } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { ownFailure } from '../failure.ts';
import type { GlobalOptions } from '../global-options.ts';
import { findMcpProgram } from './find-mcp-program.ts';
import { findMcpUrl } from './find-mcp-url.ts';
import type { ProgramEntry, RemoteEntry } from './mcp-clients.ts';

/** Which tools a connection has. */
export interface ToolChoice {
  readonly toolsets: string | undefined;
  readonly readonly: true | undefined;
}

/** The entry without a secret: the address of the server, in which the user signs in. Rejects with a CliFailure if programs cannot. */
export async function createRemoteEntry(
  { toolsets, readonly }: ToolChoice,
  options: GlobalOptions,
  io: CliIo,
): Promise<RemoteEntry> {
  const url = new URL(await findMcpUrl(await findAddress(options, io), options, io));
  if (toolsets !== undefined) url.searchParams.set('toolsets', toolsets);
  if (readonly === true) url.searchParams.set('readonly', 'true');
  // A comma needs no escape here, and the list stays readable.
  return { kind: 'remote', url: url.href.replaceAll('%2C', ',') };
}

/** The entry with a key: the stdio program. Rejects with a CliFailure if there is no key for an agent. */
export async function createProgramEntry(
  { toolsets, readonly }: ToolChoice,
  options: GlobalOptions,
  io: CliIo,
): Promise<ProgramEntry> {
  const chosen = [
    ...(toolsets === undefined ? [] : ['--toolsets', toolsets]),
    ...(readonly === true ? ['--readonly'] : []),
  ];
  const run = [...(await findMcpProgram(import.meta.dirname)), ...chosen];
  // On Windows, npx is a script, which programs can start only through cmd.
  const [command = '', ...args] = process.platform === 'win32' ? ['cmd', '/c', ...run] : run;
  return { kind: 'program', command, args, env: await credentialsOf(options, io) };
}

/** The environment from which the MCP server reads its key: the data directory of a development server, or else the key itself. */
async function credentialsOf(options: GlobalOptions, io: CliIo): Promise<Readonly<Record<string, string>>> {
  const { apiKey, baseUrl } = await findCredentials(options, io, true);
  if (apiKey?.startsWith('prs_')) {
    const detail = 'the sign-in of a user is not for agents, which need a key with limited scopes';
    const fix = 'Create one with postrider keys create, and pass it with --api-key and --base-url.';
    throw ownFailure(EXIT_CODES.authentication, 'key_required', 'An agent needs a key of its own', detail, fix);
  }
  const dataDir = options.dataDir ?? io.env['POSTRIDER_DATA_DIR'];
  const verdict = await readProfile({ ...io.env, ...(dataDir ? { POSTRIDER_DATA_DIR: dataDir } : {}) }, io.cwd);
  const profile = verdict.ok ? verdict.profile : null;
  // The key of a development server changes with its data, and a reference avoids a second copy of it.
  if (profile !== null && profile.key === apiKey && profile.baseUrl === baseUrl) {
    return { POSTRIDER_DATA_DIR: dirname(resolve(io.cwd, profile.path)) };
  }
  return { POSTRIDER_API_KEY: apiKey ?? '', ...(baseUrl === undefined ? {} : { POSTRIDER_BASE_URL: baseUrl }) };
}
