import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { Problem } from '@postrider/core';
import type { Tool, ToolCall } from '../tool.ts';
import { TOOLS } from '../tools.ts';
import { parseResourceUri, type ResourceKind } from './resource-kinds.ts';

/** The context for reading and completing resources. */
export type ResourceCall = Pick<ToolCall, 'invoke' | 'caller' | 'signal'>;

export interface ResourceText {
  readonly uri: string;
  readonly mimeType: 'text/plain';
  readonly text: string;
}

/**
 * Reads one resource: the text of the tool that reads the same object, with third-party text fenced and long bodies cut.
 * @throws ResourceNotFoundError if the account has no such object
 * @throws ProtocolError with the problem's text for every other refusal, because resource reads have no other form of error
 */
export async function readResource(uri: string, call: ResourceCall): Promise<ResourceText> {
  const parsed = parseResourceUri(uri);
  const reader = parsed === null ? undefined : readerOf(parsed.kind);
  if (parsed === null || reader === undefined) throw new ResourceNotFoundError(uri);
  const result = await reader.run({ id: parsed.id }, { ...call, report: null });
  const [block] = result.content;
  const text = block?.type === 'text' ? block.text : '';
  if (result.isError !== true) return { uri, mimeType: 'text/plain', text };
  // Our refusals have the problem under `error`.
  const { error } = result.structuredContent as { readonly error: Problem };
  if (error.code === 'not_found') throw new ResourceNotFoundError(uri, text);
  const code = error.status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  throw new ProtocolError(code, text, { uri, problem: error });
}

/** The tool that reads a kind; a kind without one is not offered. */
export function readerOf({ reader }: ResourceKind): Tool | undefined {
  return TOOLS.find(({ definition }) => definition.name === reader);
}
