import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/server';
import {
  type Effect,
  type FieldProblem,
  findOperation,
  type McpExposure,
  type Operation,
  type PlacedInput,
  type Problem,
  placeArguments,
  type Scope,
} from '@postrider/core';
import type { Invoke } from './invoke.ts';
import { localProblem } from './local-problem.ts';
import { type Ceiling, isVisible, type SurfaceEntry, scopeOf } from './surface.ts';
import type { ObjectSchema } from './tool-schemas.ts';

/** The arguments of a call as the client gave them, unchecked. */
export type GivenArguments = Readonly<Record<string, unknown>>;

/** What a call runs with. */
export interface ToolCall {
  readonly invoke: Invoke;
  /** Tells the keys of one account apart. */
  readonly caller: string;
  readonly signal: AbortSignal;
  /** Tells the client how far the call is; null where it did not ask for that. */
  readonly report: ReportProgress | null;
}

export type ReportProgress = (progress: {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}) => Promise<void>;

/** A tool as it is listed and run. */
export interface Tool {
  readonly definition: ToolDefinition;
  readonly operation: Operation;
  readonly scope: Scope | null;
  readonly run: (given: GivenArguments, call: ToolCall) => Promise<CallToolResult>;
}

/** What a tool's own file says; the rest follows from its place on the surface. */
export interface ToolParts extends Omit<McpExposure, 'tool'> {
  readonly entry: SurfaceEntry;
  readonly input: ObjectSchema;
  readonly output: ObjectSchema;
  readonly run: Tool['run'];
}

export function defineTool({ entry, title, description, input, output, run }: ToolParts): Tool {
  const operation: Operation = { ...findOperation(entry.operation), ...(entry.effect ? { effect: entry.effect } : {}) };
  // Ours are JSON values too; the library's type only spells that out to the leaves.
  const inputSchema = input as ToolDefinition['inputSchema'];
  const outputSchema = output as ToolDefinition['inputSchema'];
  const annotations = annotationsOf(operation.effect);
  return {
    definition: { name: entry.tool, title, description, inputSchema, outputSchema, annotations },
    operation,
    scope: scopeOf(entry),
    run,
  };
}

export function visibleTools(tools: readonly Tool[], scopes: readonly Scope[] | null): readonly Tool[] {
  return tools.filter((tool) => isVisible(tool.scope, scopes));
}

/**
 * The four hints that clients decide by whether to ask their user first. An email cannot be taken back, so a send counts as destructive
 * although it only adds; it alone reaches people outside.
 */
export function annotationsOf(effect: Effect) {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'send' || effect === 'delete' || effect === 'update',
    idempotentHint: effect === 'read' || effect === 'update' || effect === 'delete',
    openWorldHint: effect === 'send',
  };
}

/** Arguments as the operation takes them, with what was changed about them; or the problem they are refused with. */
export type Placed =
  | { readonly ok: true; readonly input: PlacedInput; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Puts the arguments where the operation has them. Nothing is checked here but what the API would let pass: hidden arguments. Whatever else
 * is wrong, unknown or missing goes on to the API, which refuses it by name.
 */
export function placeGiven(entry: SurfaceEntry, given: GivenArguments): Placed {
  const hidden = (entry.hides ?? []).filter((name) => given[name] !== undefined);
  if (hidden.length > 0) {
    return { ok: false, problem: unknownArguments(entry.tool, hidden) };
  }
  const operation: Operation = findOperation(entry.operation);
  const notes: string[] = [];
  const lowered = Object.entries(entry.ceilings ?? {}).map(([name, ceiling]) => {
    const value = applyCeiling(given[name], ceiling);
    if (given[name] !== undefined && value !== given[name]) {
      notes.push(`${name} was lowered to ${ceiling.max}, the most this tool takes.`);
    }
    return [name, value];
  });
  return { ok: true, input: placeArguments(operation, { ...given, ...Object.fromEntries(lowered) }), notes };
}

function unknownArguments(tool: string, names: readonly string[]): Problem {
  const errors: FieldProblem[] = names.map((path) => ({
    path,
    code: 'unknown_field',
    message: `\`${path}\` is not an argument of ${tool}; leave it out`,
  }));
  return localProblem('validation_failed', { detail: `${tool} does not take: ${names.join(', ')}.`, errors });
}

function applyCeiling(given: unknown, { max, apiMax }: Ceiling): unknown {
  if (given === undefined) return max;
  const number = typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : given;
  const lowers = typeof number === 'number' && Number.isInteger(number) && number > max && number <= apiMax;
  return lowers ? max : given;
}
