import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/server';
import { type Approval, findOperation, type JsonSchema, placeArguments } from '@postrider/core';
import { refuse } from '../results.ts';
import { annotationsOf, type GivenArguments, type ToolCall } from '../tool.ts';
import { stripInvisibleDeep } from '../untrusted-text.ts';
import { toHeldSendRecord } from './held-send-record.ts';

const operation = findOperation('approvals.get');

/** The longest wait for a decision, in seconds. Hosts end a call of a frame after 60 s or earlier. */
const WAIT_MAX = 25;

const INPUT: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string', description: 'The approval id.' },
  wait: { type: 'integer', minimum: 1, maximum: WAIT_MAX, description: 'Seconds to wait for a decision.' },
};

/**
 * The only tool that the frame of the view may call, and only the frame: it reads one hold with its review. It is not on the surface of the
 * registry, because a model has `get_approval`.
 */
export const READ_HELD_SEND = {
  definition: {
    name: 'read_held_send',
    title: 'Read a held send for its view',
    description: 'Reads one held send for the view in the client, with what an approver should look at.',
    inputSchema: { type: 'object', properties: INPUT, required: ['id'], additionalProperties: false },
    annotations: annotationsOf(operation.effect),
    _meta: { ui: { visibility: ['app'] } },
  } as ToolDefinition,

  /** @param pageOf the URL of a hold's page; null if the server's address is not known */
  async run(
    { id, wait }: GivenArguments,
    { invoke, signal }: Pick<ToolCall, 'invoke' | 'signal'>,
    pageOf: ((approvalId: string) => string) | null,
  ): Promise<CallToolResult> {
    const seconds = typeof wait === 'number' ? { wait: Math.min(wait, WAIT_MAX) } : {};
    const input = placeArguments(operation, { id, ...seconds, review: true });
    const result = await invoke(operation.id, input, { signal });
    if (!result.ok) return refuse(result.problem);
    // The operation returns its declared type, over HTTP and in process.
    const approval = result.body as Approval;
    const record = stripInvisibleDeep(toHeldSendRecord(approval, pageOf?.(approval.id) ?? null));
    return {
      content: [{ type: 'text', text: `Held send ${record.id}: ${record.status}` }],
      structuredContent: { ...record },
    };
  },
} as const;
