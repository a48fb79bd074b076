import {
  argumentsOf,
  type CallableId,
  type CallableOperation,
  type Ceiling,
  findOperation,
  LIMITS,
  type McpExposure,
  type McpTool,
  OPERATIONS,
  type Operation,
  pagesRows,
  type Scope,
  TOOLSET_NAMES,
  type ToolName,
} from '@postrider/core';
import { TOOL_ORDER } from './generated/tool-order.ts';

/** One tool: its registry entry and the operation it calls. */
export interface SurfaceEntry extends McpTool {
  readonly tool: ToolName;
  readonly operation: CallableId;
}

/** 20 rows fit into one result. With more, rows would be dropped that the next page does not repeat. */
const ROWS: Ceiling = { max: 20, apiMax: LIMITS.pageSizeMax, description: 'Rows per page, 1 to 20.' };

/** All tools in listing order: the default ones, then those of each toolset. */
export const SURFACE: readonly SurfaceEntry[] = [null, ...TOOLSET_NAMES].flatMap((toolset) =>
  OPERATIONS.filter(isShown)
    .flatMap(entriesOf)
    .filter((entry) => entry.toolset === toolset)
    .sort((a, b) => TOOL_ORDER.indexOf(a.tool) - TOOL_ORDER.indexOf(b.tool)),
);

type ShownOperation = CallableOperation & { readonly mcp: McpExposure };

function isShown(operation: Operation): operation is ShownOperation {
  return operation.mcp !== null && operation.response !== 'raw';
}

function entriesOf(operation: ShownOperation): readonly SurfaceEntry[] {
  const { also = [], ...own } = operation.mcp;
  return [own, ...also].map((tool) => toEntry(tool, operation));
}

function toEntry(tool: McpTool, operation: ShownOperation): SurfaceEntry {
  const { offers, hides, ceilings = {} } = tool;
  return {
    ...tool,
    // The registry's type has every name; the exposure read from it is a string.
    tool: tool.tool as ToolName,
    operation: operation.id,
    hides: hides ?? (offers === undefined ? [] : allBut(offers, operation)),
    ceilings: pagesRows(operation) ? { limit: ROWS, ...ceilings } : ceilings,
  };
}

function allBut(offers: readonly string[], operation: Operation): readonly string[] {
  return argumentsOf(operation).flatMap(({ name }) => (offers.includes(name) ? [] : [name]));
}

/** The tools of every connection. */
export const DEFAULT_TOOLSET: readonly SurfaceEntry[] = SURFACE.filter(({ toolset }) => toolset === null);

/** The scope a key needs to see the tool: that of its operation. */
export function scopeOf(entry: SurfaceEntry): Scope | null {
  const { access } = findOperation(entry.operation);
  return access.kind === 'key' ? access.scope : null;
}

/** Whether a key with these scopes sees the tool. Unknown scopes show everything, because the API refuses what is not allowed. */
export function isVisible(scope: Scope | null, scopes: readonly Scope[] | null): boolean {
  return scope === null || scopes === null || scopes.includes(scope);
}
