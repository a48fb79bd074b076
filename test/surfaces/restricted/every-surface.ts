import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { COMMANDS } from '@postrider/cli';
import { argumentsOf, type Operation, type OperationId, TOOLSET_NAMES } from '@postrider/core';
import { TOOLS } from '@postrider/mcp';
import { Postrider, PostriderError } from '@postrider/sdk';
import { runInProcess } from '../../cli/run-in-process.ts';
import type { TestApp } from '../../harness/test-app.ts';
import type { ValidRequest } from '../../http/documented/valid-request.ts';

/** What came of a call: null where the surface does not offer the operation, else the code of the refusal or `ok`. */
export type Ending = string | null;

/** One way to call any operation of the registry with a key. */
export interface OperationSurface {
  readonly name: 'REST' | 'SDK' | 'MCP' | 'CLI';
  call(operation: Operation & { readonly id: OperationId }, request: ValidRequest, key: string): Promise<Ending>;
}

export function operationSurfaces(server: TestApp): readonly OperationSurface[] {
  return [
    { name: 'REST', call: (operation, request, key) => overRest(server, operation, request, key) },
    { name: 'SDK', call: (operation, request, key) => overSdk(server, operation, request, key) },
    { name: 'MCP', call: (operation, request, key) => overMcp(server, operation, request, key) },
    { name: 'CLI', call: (operation, request, key) => overCli(server, operation, request, key) },
  ];
}

async function overRest(server: TestApp, operation: Operation, request: ValidRequest, key: string): Promise<Ending> {
  const { params = {}, query = {}, headers = {}, body } = request;
  const place = operation.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const asked = new URLSearchParams(isStream(operation) ? { ...query, events: 'none' } : query).toString();
  const url = asked === '' ? place : `${place}?${asked}`;
  const response = await server.call(operation.method, url, { key, headers, ...(body === undefined ? {} : { body }) });
  return response.status < 400 ? 'ok' : String(response.body?.code ?? response.status);
}

async function overSdk(
  { baseUrl }: TestApp,
  operation: Operation & { readonly id: OperationId },
  { params = {}, query = {}, headers = {}, body }: ValidRequest,
  apiKey: string,
): Promise<Ending> {
  // The SDK has no method for what speaks its own protocol, and a stream would not end.
  if (operation.response !== 'json') return null;
  const client = new Postrider({ apiKey, baseUrl, maxRetries: 0 });
  try {
    const id = operation.id as Parameters<typeof client.requestOperation>[0]; // Only raw operations have no place there.
    await client.requestOperation(id, { params, query, headers, ...(body === undefined ? {} : { body }) });
    return 'ok';
  } catch (error) {
    if (error instanceof PostriderError) return error.code;
    throw error;
  }
}

/** Every tool that runs the operation is tried; one that is not listed can still be named by a client. */
async function overMcp(server: TestApp, operation: Operation, request: ValidRequest, key: string): Promise<Ending> {
  const tools = TOOLS.filter((tool) => tool.operation.id === operation.id);
  if (tools.length === 0) return null;
  let ending: Ending = null;
  for (const { definition } of tools) {
    const known = Object.keys(definition.inputSchema.properties ?? {});
    const given = flatten(operation, request).filter(([name]) => known.includes(name));
    const call = { name: definition.name, arguments: Object.fromEntries(given) };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    const headers = { accept: 'application/json', 'mcp-protocol-version': '2025-11-25' };
    const url = `/mcp?toolsets=${TOOLSET_NAMES.join(',')}`;
    const response = await server.call('POST', url, { key, headers, body });
    if (response.body?.jsonrpc !== '2.0')
      throw new Error(`${definition.name}: ${response.status} ${JSON.stringify(response.body)}`);
    const { result, error } = response.body;
    ending = error ? String(error.code) : result?.isError ? String(result.structuredContent?.error?.code) : 'ok';
  }
  return ending;
}

async function overCli(
  { baseUrl }: TestApp,
  operation: Operation,
  request: ValidRequest,
  key: string,
): Promise<Ending> {
  const command = COMMANDS.find(({ id }) => id === operation.id);
  if (command === undefined || isStream(operation)) return null;
  const values = new Map(flatten(operation, request));
  const argv = command.command.split(' ');
  for (const { name, positional, flags, value } of command.inputs) {
    const given = values.get(name);
    if (given === undefined) continue;
    for (const text of await toTexts(given, value.kind)) {
      if (positional) argv.push(text);
      else argv.push(`${flags[0]}=${text}`);
    }
  }
  // It asks before it does this, where no one is at a terminal too.
  if (operation.id === 'account.delete') argv.push('--yes');
  const env = { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: baseUrl };
  const { code, stderr } = await runInProcess([...argv, '--json'], { env });
  // A hold and a missed delivery end with their own codes, and are no refusals.
  if ([0, 10, 12].includes(code)) return 'ok';
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return last.startsWith('{') ? String(JSON.parse(last).code) : `exit ${code}: ${stderr.trim()}`;
}

function isStream(operation: Operation): boolean {
  return operation.id === 'webhooks.stream';
}

/** The request as flat arguments. */
function flatten(operation: Operation, request: ValidRequest): readonly (readonly [string, unknown])[] {
  const body = request.body as Readonly<Record<string, unknown>> | undefined;
  const places: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> = { ...request, body };
  return argumentsOf(operation).flatMap(({ name, place, key }) => {
    const value = places[place]?.[key];
    return value === undefined ? [] : [[name, value] as const];
  });
}

async function toTexts(given: unknown, kind: string): Promise<readonly string[]> {
  if (kind === 'list') return [given].flat().map(String);
  if (kind === 'map') return Object.entries(given as object).map(([name, value]) => `${name}=${value}`);
  if (kind === 'json') return [JSON.stringify(given)];
  if (kind !== 'file') return [String(given)];
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'postrider-items-')), 'items.json');
  await writeFile(file, JSON.stringify(given));
  return [file];
}
