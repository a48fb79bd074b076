import { readFileSync } from 'node:fs';
import type { Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type CallerFacts, expandScopes, type Scope } from '@postrider/core';
import { Postrider } from '@postrider/sdk';
import { createMcpServer } from './create-server.ts';
import { readCredentials } from './credentials.ts';
import { createDuplicateQueue } from './duplicate-queue.ts';
import { createPolledResources, type PolledResources } from './polled-resources.ts';
import { createSdkInvoke } from './sdk-invoke.ts';
import { readStdioArguments, USAGE } from './stdio-arguments.ts';

/** The exit codes of the CLI for a wrong command line and for a missing or invalid key. */
const EXIT_USAGE = 2;
const EXIT_AUTHENTICATION = 3;
/** The client waits for this request. Without the scopes everything works, but too many tools are listed. */
const OWN_KEY_TIMEOUT_MS = 5_000;

export interface StdioProgram {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Serves the tools until the client disconnects, and returns the exit code. stdout is reserved for the protocol; messages for users go to stderr. */
export async function runStdio({ argv, env, cwd }: StdioProgram): Promise<number> {
  const asked = readStdioArguments(argv);
  if (asked.kind === 'wrong') log(asked.reason);
  if (asked.kind !== 'serve') {
    process.stderr.write(USAGE);
    return asked.kind === 'help' ? 0 : EXIT_USAGE;
  }
  const { toolsets, readOnly } = asked;
  const verdict = await readCredentials(env, cwd);
  if (!verdict.ok) {
    log(verdict.message);
    return EXIT_AUTHENTICATION;
  }
  const version = readVersion();
  const client = new Postrider(verdict.credentials);
  const key = await readOwnKey(client);
  const invoke = createDuplicateQueue()(createSdkInvoke(client, { keySetsSource: key.setsSource }), key.id);
  const polled = createPolledResources(invoke);
  const { baseUrl } = verdict.credentials;
  const own = { invoke, scopes: key.scopes, facts: key.facts, caller: key.id, toolsets, readOnly };
  const settings = { ...own, baseUrl, version, canNotify: true, subscriptions: polled, onError: log };
  serveStdio(
    () => {
      const mcp = createMcpServer(settings);
      polled.setListener((uri) => mcp.server.sendResourceUpdated({ uri }));
      return mcp;
    },
    { onerror: log, transport: createSeenTransport(polled) },
  );
  return 0;
}

/** The process's stdin and stdout; the resource watcher sees the input too. */
function createSeenTransport(polled: PolledResources): Transport {
  const stdio = new StdioServerTransport();
  const seen: Transport = {
    start: async () => {
      stdio.onmessage = (message) => {
        polled.see(message);
        seen.onmessage?.(message);
      };
      stdio.onerror = (error) => seen.onerror?.(error);
      stdio.onclose = () => {
        polled.close();
        seen.onclose?.();
      };
      await stdio.start();
    },
    send: (message) => stdio.send(message),
    close: () => stdio.close(),
  };
  return seen;
}

interface OwnKey {
  readonly scopes: readonly Scope[] | null;
  readonly setsSource: boolean;
  /** Empty if unknown. */
  readonly id: string;
  /** Null if unknown. */
  readonly facts: CallerFacts | null;
}

/** The key's scopes. The server enforces them anyway, so the process also starts without them. */
async function readOwnKey(client: Postrider): Promise<OwnKey> {
  try {
    const options = { timeoutMs: OWN_KEY_TIMEOUT_MS, maxRetries: 0 };
    const { data } = await client.requestOperation<{
      id: string;
      scopes: string[];
      persona: { source: string | null } | null;
      mode: string;
      approvalMode: string;
      recipientAllowlist: readonly string[] | null;
      sendLimit: object | null;
    }>('keys.self', {}, options);
    // A newer server may have scopes that this version does not know.
    return {
      scopes: expandScopes(data.scopes).scopes,
      setsSource: typeof data.persona?.source === 'string',
      id: data.id,
      facts: {
        ...{ role: null, isDevice: false },
        isHeld: data.approvalMode !== 'off',
        isTest: data.mode === 'test',
        isAllowlisted: data.recipientAllowlist !== null,
        isLimited: data.sendLimit !== null,
        // A pause can end while this process runs, but the tool list is created once.
        isPaused: false,
      },
    };
  } catch (error) {
    log(error);
    return { scopes: null, setsSource: false, id: '', facts: null };
  }
}

function readVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return manifest.version;
}

function log(reason: unknown): void {
  process.stderr.write(`postrider-mcp: ${reason instanceof Error ? reason.message : String(reason)}\n`);
}
