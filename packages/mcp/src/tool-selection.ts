import type { Problem, Toolset } from '@postrider/core';
import { localProblem } from './local-problem.ts';
import type { Tool } from './tool.ts';

/** The options of a connection. They only hide tools: the server decides what the key may do. */
export interface ToolSelection {
  /** Toolsets beyond the default one. */
  readonly toolsets: readonly Toolset[];
  /** True: only tools that neither change nor send anything. */
  readonly readOnly: boolean;
}

export function isSelected(tool: Tool, { toolsets, readOnly }: ToolSelection): boolean {
  if (readOnly && tool.operation.effect !== 'read') return false;
  return tool.toolset === null || toolsets.includes(tool.toolset);
}

/**
 * The refusal of a call to an existing tool that this connection does not list. Clients with an older list call such tools, and the model
 * must be able to read why the call failed.
 */
export function notSelectedProblem(tool: Tool, { toolsets, readOnly }: ToolSelection): Problem {
  const { definition, operation, toolset } = tool;
  const wanted = [
    ...(toolset === null || toolsets.includes(toolset) ? [] : [withToolsets([...toolsets, toolset])]),
    ...(readOnly && operation.effect !== 'read' ? ['without read-only mode'] : []),
  ];
  return localProblem('not_found', {
    detail: `${definition.name} is not available on this connection.`,
    fix: `Continue without it, or ask the user to connect ${wanted.join(' and ')}.`,
    retryable: false,
  });
}

function withToolsets(toolsets: readonly Toolset[]): string {
  const names = toolsets.join(',');
  return `with \`?toolsets=${names}\` in the server's URL (\`--toolsets ${names}\` over stdio)`;
}
