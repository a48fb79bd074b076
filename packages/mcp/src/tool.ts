import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/server';
import {
  type CallableOperation,
  type CallerFacts,
  type Ceiling,
  type Effect,
  type FieldProblem,
  findOperation,
  type JsonSchema,
  type McpExposure,
  type Operation,
  type OperationOutput,
  type PlacedInput,
  type Problem,
  placeArguments,
  refusedKind,
  type Scope,
  type ToolName,
  type Toolset,
} from '@postrider/core';
import { BODY_OFFSET, isOffset, offsetProblem } from './body-offset.ts';
import type { Invoke } from './invoke.ts';
import { localProblem } from './local-problem.ts';
import { present, refuse, type View } from './results.ts';
import { isVisible, type SurfaceEntry, scopeOf } from './surface.ts';
import { type ObjectSchema, toolInputSchema, toolOutputSchema } from './tool-schemas.ts';

/** The unchecked arguments of a call. */
export type GivenArguments = Readonly<Record<string, unknown>>;

/** The context of a call. */
export interface ToolCall {
  readonly invoke: Invoke;
  /** Distinguishes the keys of one account. */
  readonly caller: string;
  readonly signal: AbortSignal;
  /** Reports progress; null if the client did not request it. */
  readonly report: ReportProgress | null;
}

export type ReportProgress = (progress: {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}) => Promise<void>;

/** A tool with its definition and its function. */
export interface Tool {
  readonly definition: ToolDefinition;
  readonly operation: Operation;
  readonly scope: Scope | null;
  /** The toolset that includes it; null if every connection has it. */
  readonly toolset: Toolset | null;
  readonly run: (given: GivenArguments, call: ToolCall) => Promise<CallToolResult>;
}

/** What a tool does; the rest follows from its entry on the surface. */
export interface ToolParts {
  readonly entry: SurfaceEntry;
  /** Created on demand: creating all of them takes longer than the rest of the start. */
  readonly input: () => ObjectSchema;
  readonly output: () => ObjectSchema;
  readonly run: Tool['run'];
}

/** The export of a tool's file: creates the tool for its place on the surface. */
export type ToolMaker = (entry: SurfaceEntry) => Tool;

export function defineTool({ entry, input, output, run }: ToolParts): Tool {
  const { title, description, toolset } = entry;
  const operation: Operation = { ...findOperation(entry.operation), ...(entry.effect ? { effect: entry.effect } : {}) };
  const annotations = annotationsOf(operation.effect);
  let inputSchema: ToolDefinition['inputSchema'] | undefined;
  let outputSchema: ToolDefinition['inputSchema'] | undefined;
  return {
    definition: {
      name: entry.tool,
      title,
      description,
      // Ours are JSON values too; only the library's type is more explicit.
      get inputSchema() {
        inputSchema ??= input() as ToolDefinition['inputSchema'];
        return inputSchema;
      },
      get outputSchema() {
        outputSchema ??= output() as ToolDefinition['inputSchema'];
        return outputSchema;
      },
      annotations,
    },
    operation,
    scope: scopeOf(entry),
    toolset,
    run,
  };
}

/** An operation with an MCP exposure. */
export type ShownOperation = Extract<CallableOperation, { readonly mcp: McpExposure }>;

/** What a tool adds to its operation. */
export interface CallParts<Body, Record extends object> {
  /** Rewrites a refusal if the tool has a better fix than the API. */
  readonly toRefusal?: (problem: Problem) => Problem;
  /** Selects the part of the response to show. Default: all of it. */
  readonly toRecord?: (response: Body) => Record;
  /** The names of the response's fields in the output schema. Default: all. */
  readonly shows?: readonly string[];
  /** Fields that the operation's response does not have, or that need another description. */
  readonly output?: Readonly<{ [name: string]: JsonSchema }>;
  /** True if bodies can be longer than one result, and `body_offset` pages through them. */
  readonly pagesBodies?: boolean;
  /** The tool that shows the rest of bodies that this one cuts and cannot page through. Default: `get_email`. */
  readonly bodyTool?: ToolName;
  readonly structuredNotes?: View<Record>['structuredNotes'];
  /** Notes for the reader about this result; shown in both forms. */
  readonly toNotes?: (record: Record) => readonly string[];
  readonly toText: View<Record>['toText'];
}

/** The response of an operation as JSON. */
type JsonBody<O extends Operation> = Extract<OperationOutput<O>, object>;

/** A tool that calls its operation once and shows the response. */
export function callingTool<O extends ShownOperation, Record extends object = JsonBody<O>>(
  operation: O,
  parts: CallParts<JsonBody<O>, Record>,
): ToolMaker {
  const {
    toRefusal = (problem) => problem,
    toRecord,
    shows,
    output,
    pagesBodies = false,
    bodyTool,
    structuredNotes = [],
    toNotes = () => [],
    toText,
  } = parts;
  return (entry) =>
    defineTool({
      entry,
      input: () => toolInputSchema(entry, pagesBodies ? { body_offset: BODY_OFFSET } : {}),
      output: () => toolOutputSchema(operation, shows, output),
      run: async (given, { invoke, signal }) => {
        const { body_offset: bodyOffset = 0, ...rest } = given;
        if (pagesBodies && !isOffset(bodyOffset)) return refuse(offsetProblem());
        const input = placeGiven(entry, pagesBodies ? rest : given);
        if (!input.ok) return refuse(input.problem);
        const result = await invoke(operation.id, input.input, { signal });
        if (!result.ok) return refuse(toRefusal(inArgumentNames(result.problem, entry)));
        // The operation returns its declared type, over HTTP and in process; without `toRecord` that is the record.
        const response = result.body as JsonBody<O>;
        const record = toRecord === undefined ? (response as unknown as Record) : toRecord(response);
        const paging = isOffset(bodyOffset) ? { bodyOffset } : {};
        const restTool = pagesBodies ? entry.tool : bodyTool;
        const named = restTool === undefined ? {} : { bodyTool: restTool };
        const notes = [...input.notes, ...toNotes(record)];
        return present({ record, notes, ...paging, ...named, structuredNotes, toText });
      },
    });
}

/** The tools that the reach policy allows a caller with these scopes; without facts, the policy hides none. */
export function visibleTools(
  tools: readonly Tool[],
  scopes: readonly Scope[] | null,
  facts: CallerFacts | null = null,
): readonly Tool[] {
  const mayCall = (tool: Tool) => facts === null || refusedKind(tool.operation, facts) === null;
  return tools.filter((tool) => isVisible(tool.scope, scopes) && mayCall(tool));
}

/**
 * The four hints from which clients decide whether to ask the user first. A sent email cannot be recalled, so a send counts as destructive
 * although it only adds; only sends affect the outside world.
 */
export function annotationsOf(effect: Effect) {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'send' || effect === 'delete' || effect === 'update' || effect === 'replace',
    idempotentHint: effect === 'read' || effect === 'update' || effect === 'delete',
    openWorldHint: effect === 'send',
  };
}

/** The operation's arguments with notes about changes to them, or the problem of the refusal. */
export type Placed =
  | { readonly ok: true; readonly input: PlacedInput; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Maps the arguments to the operation's. It only checks what the API would accept: hidden arguments. Anything else
 * that is invalid, unknown or missing is passed on to the API, which refuses it by name.
 */
export function placeGiven(entry: SurfaceEntry, given: GivenArguments): Placed {
  const { renames = {} } = entry;
  // An operation's argument that is renamed in the tool is not accepted by its old name, unless another argument has that name.
  const renamed = Object.values(renames).filter((name) => !(name in renames));
  const hidden = [...(entry.hides ?? []), ...renamed].filter((name) => given[name] !== undefined);
  if (hidden.length > 0) {
    return { ok: false, problem: unknownArguments(entry.tool, hidden) };
  }
  const operation: Operation = findOperation(entry.operation);
  const notes: string[] = [];
  const lowered = Object.entries(entry.ceilings ?? {}).map(([name, ceiling]) => {
    const value = applyCeiling(given[name], ceiling);
    if (given[name] !== undefined && value !== given[name]) {
      notes.push(`${name} was lowered to ${ceiling.max}, the maximum of this tool.`);
    }
    return [name, value];
  });
  // Callers choose the names: `constructor` must not find what objects inherit.
  const nameOf = (name: string) => (Object.hasOwn(renames, name) ? renames[name] : undefined) ?? name;
  const named = Object.entries(given).map(([name, value]) => [nameOf(name), value]);
  return {
    ok: true,
    input: placeArguments(operation, { ...Object.fromEntries(named), ...Object.fromEntries(lowered) }),
    notes,
  };
}

/** A refusal with the tool's argument names. */
export function inArgumentNames(problem: Problem, { renames = {} }: SurfaceEntry): Problem {
  const own = new Map(Object.entries(renames).map(([name, operationName]) => [operationName, name]));
  if (own.size === 0) return problem;
  const inWords = (text: string) =>
    text.replace(/`(\w+)`|^(\w+)\b/g, (word, quoted, first) => {
      const name = own.get(quoted ?? first);
      return name === undefined ? word : word.replace(quoted ?? first, name);
    });
  const errors = problem.errors?.map((error) => ({
    ...error,
    path: own.get(error.path) ?? error.path,
    message: inWords(error.message),
  }));
  return { ...problem, detail: inWords(problem.detail), ...(errors === undefined ? {} : { errors }) };
}

function unknownArguments(tool: string, names: readonly string[]): Problem {
  const errors: FieldProblem[] = names.map((path) => ({
    path,
    code: 'unknown_field',
    message: `\`${path}\` is not an argument of ${tool}; omit it`,
  }));
  return localProblem('validation_failed', { detail: `${tool} does not accept: ${names.join(', ')}.`, errors });
}

function applyCeiling(given: unknown, { max, apiMax, optional = false }: Ceiling): unknown {
  if (given === undefined) return optional ? undefined : max;
  const number = typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : given;
  const lowers = typeof number === 'number' && Number.isInteger(number) && number > max && number <= apiMax;
  return lowers ? max : given;
}
