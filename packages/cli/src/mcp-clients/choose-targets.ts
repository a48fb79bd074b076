import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CliIo } from '../cli-io.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { ownFailure, usageFailure } from '../failure.ts';
import { MCP_CLIENTS, type McpClient, type Places } from './mcp-clients.ts';

/** A client with its file on this machine. */
export interface Target {
  readonly client: McpClient;
  readonly path: string;
}

/** The settings files of the clients that `--client` names, or of all known clients. */
export function namedTargets(given: unknown, { env }: CliIo): readonly Target[] {
  const home = env['HOME'] || env['USERPROFILE'];
  if (!home) throw usageFailure('the home directory is unknown', 'Set HOME.');
  const places: Places = { home, env, platform: process.platform };
  const wanted = namesOf(given);
  return MCP_CLIENTS.filter(({ name }) => wanted === null || wanted.includes(name)).map((client) => ({
    client,
    path: client.path(places),
  }));
}

/** The clients that `--client` names, installed or not; by default those that are installed. */
export async function chooseTargets(given: unknown, io: CliIo): Promise<readonly Target[]> {
  const all = namedTargets(given, io);
  if (namesOf(given) !== null) return all;
  const found = await Promise.all(all.map(async (target) => ((await isInstalled(target, io)) ? [target] : [])));
  if (found.flat().length > 0) return found.flat();
  const fix = `Name one with --client: ${MCP_CLIENTS.map(({ name }) => name).join(', ')}.`;
  throw ownFailure(
    EXIT_CODES.notFound,
    'no_client',
    'No MCP client found',
    'no known MCP client has settings on this machine',
    fix,
  );
}

export function readName(given: unknown): string {
  if (typeof given === 'string' && /^[\w-]{1,60}$/.test(given)) return given;
  throw usageFailure('--name accepts only letters, digits, hyphens and underscores', 'Choose another name.');
}

function namesOf(given: unknown): readonly string[] | null {
  if (typeof given === 'string') return [given];
  return Array.isArray(given) ? given : null;
}

/** A client is installed if its settings or their directory exist, unless that directory is the home directory. */
async function isInstalled({ path }: Target, { env }: CliIo): Promise<boolean> {
  const sign = dirname(path) === (env['HOME'] || env['USERPROFILE']) ? path : dirname(path);
  return await access(sign).then(
    () => true,
    () => false,
  );
}
