import { findOperation, type OperationById, type OperationOutput } from '@postrider/core';
import { present, refuse } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { line } from './message-text.ts';

const operation = findOperation('keys.self');

const SHOWN = [
  ...['name', 'mode', 'scopes', 'recipientAllowlist', 'persona', 'expiresAt'],
  ...['sendingDomains', 'account', 'quota'],
] as const;

type OwnKey = OperationOutput<OperationById<'keys.self'>>;

/** What an agent should know before it sends: its key, the domains it may send from, what is left of the month. */
export function getSendingContextTool(entry: SurfaceEntry): Tool {
  return defineTool({
    entry,
    ...operation.mcp,
    input: toolInputSchema(entry),
    output: toolOutputSchema(operation, SHOWN),
    run: async (given, { invoke, signal }) => {
      const placed = placeGiven(entry, given);
      if (!placed.ok) return refuse(placed.problem);
      const result = await invoke(operation.id, placed.input, { signal });
      if (!result.ok) return refuse(result.problem);
      return present({
        // The operation answers what it declares, over HTTP as in process.
        record: pick(result.body as OwnKey),
        structuredNotes: [],
        toText: describeContext,
      });
    },
  });
}

function pick({ name, mode, scopes, recipientAllowlist, persona, expiresAt, sendingDomains, account, quota }: OwnKey) {
  return { name, mode, scopes, recipientAllowlist, persona, expiresAt, sendingDomains, account, quota };
}

function describeContext(context: ReturnType<typeof pick>, untrusted: (text: string) => string): string {
  const { mode, scopes, recipientAllowlist, persona, expiresAt, sendingDomains, quota, name, account } = context;
  return [
    `Send from: ${sendingDomains.join(', ')}`,
    `Recipients: ${recipientAllowlist === null ? 'all' : recipientAllowlist.join(', ') || 'nobody'}`,
    `Left this month: ${quota.remaining} of ${quota.limit} recipients, until ${quota.resetsAt}`,
    `Scopes: ${scopes.join(', ')}`,
    ...line('Key expires', expiresAt),
    ...(mode === 'test' ? ['Test key: nothing leaves the installation.'] : []),
    ...line('Sends as agent', persona?.agentName),
    ...line('Sends with source', persona?.source),
    untrusted(`Key ${name} of account ${account.name}`),
  ].join('\n');
}
