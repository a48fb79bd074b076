import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { LIMITS } from './limits.ts';
import type { Reach } from './reach.ts';
import type { Scope } from './scopes.ts';
import type { Toolset } from './toolsets.ts';

/**
 * The effect of a call. Retry rules, MCP annotations and the CLI's confirmations follow from it. Repeating an `update` has no further
 * effect; each `replace` call creates something new.
 */
export type Effect = 'read' | 'create' | 'update' | 'replace' | 'delete' | 'send';

/**
 * Who may call: everyone; a key (with a scope, if one is named) or a signed-in user whose role includes that scope; or only a signed-in user.
 * `users` of an operation for keys: `none` if it is about the key itself, `owners` if among users only owners may call it.
 * `session` of a public operation: which sessions change its result, although it needs none.
 */
export type Access =
  | { readonly kind: 'public'; readonly session?: 'any' | 'cookie' }
  | { readonly kind: 'key'; readonly scope: Scope | null; readonly users?: 'none' | 'owners' }
  | { readonly kind: 'session' };

/** A number whose maximum is lower in a tool than in the API. It is also the default, unless it is optional. */
export interface Ceiling {
  readonly max: number;
  /** The API's own limit: higher values are passed on to the API, which rejects them and names that limit. */
  readonly apiMax: number;
  readonly description: string;
  /** Whether the argument is omitted from the request if it is not passed. */
  readonly optional?: boolean;
}

/** A tool that calls the operation. Its hints follow from the effect, its scope from the access, and its schemas from input and output. */
export interface McpTool {
  readonly tool: string;
  /** The toolset that includes it; null if every connection has it. Only about 16 tools do, within 6,000 tokens. */
  readonly toolset: Toolset | null;
  readonly title: string;
  /** What it does, when to use another tool, and what it returns; at most 400 characters. */
  readonly description: string;
  /** The effect of a call, if the tool does less than the operation can. */
  readonly effect?: Effect;
  /** Arguments that the tool does not offer, because it sets them itself or another tool is for them. A call with one is rejected. */
  readonly hides?: readonly string[];
  /** The only arguments the tool offers, if they are few. */
  readonly offers?: readonly string[];
  /** The tool that describes the same arguments in full. Here they only refer to it, because every word costs tokens in every listing. */
  readonly sameAs?: string;
  /** Arguments with another name in the tool: tool name to argument of the operation. */
  readonly renames?: Readonly<Record<string, string>>;
  /** Lower maximums, in addition to the page size that every list has. */
  readonly ceilings?: Readonly<Record<string, Ceiling>>;
}

/** How the operation appears over MCP: its tool, and further tools that each do a part of it. */
export interface McpExposure extends McpTool {
  readonly also?: readonly McpTool[];
}

/** The CLI command of the operation: the words after `postrider`, and the positional arguments by input name. */
export interface CliExposure {
  readonly command: string;
  /** The description in the command's help, in the words of the command line; without it, that of the operation. */
  readonly description?: string;
  readonly positional?: readonly string[];
  readonly examples?: readonly string[];
}

/**
 * `json` returns a body described by `output`; `text` returns a string unchanged; `stream` returns a file in chunks, of one of the types
 * in `streams`; `raw` routes have their own protocol.
 */
export type ResponseKind = 'json' | 'text' | 'stream' | 'raw';

/**
 * A response other than a success or a catalog problem: a redirect, a web page, or another protocol's error. It is documented, and the SDK
 * never returns it as a success.
 */
export interface FurtherResponse {
  readonly status: number;
  readonly summary: string;
  /** By content type; absent if there is no body. */
  readonly content?: Readonly<Record<string, z.ZodType>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A second success status for some requests, besides `status`. */
export interface AlternativeResponse {
  readonly status: number;
  /** The boolean field of the body that requests it; null if no field does, and the response has the same form. */
  readonly when: string | null;
  readonly summary: string;
  readonly output: z.ZodType;
}

/**
 * A body with a list of similar requests. The edge validates only the list; the handler parses each item with `item`, so that invalid items
 * are rejected individually. The published schema is still a list of `item`s.
 */
export interface ItemwiseBody {
  /** The field with the list. */
  readonly field: string;
  readonly item: z.ZodType;
}

/** The rate limit without a key: requests per minute from one address, over all operations with the same counter. */
export interface AnonymousLimits {
  readonly count: 'tools' | 'sign-in' | 'polls' | 'registrations' | 'metadata' | 'tokens';
  readonly requestsPerMinute: number;
}

/** A deprecated operation. It works unchanged until its sunset; docs/compatibility.md states the minimum period. */
export interface Deprecation {
  /** The date from which it should not be used, `YYYY-MM-DD`. */
  readonly since: string;
  /** The earliest date of its removal, `YYYY-MM-DD`; null if none is set. */
  readonly sunset: string | null;
  /** What to use instead. */
  readonly instead: string;
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `:name` parameters, unprefixed; the router serves it under `/v1` too. */
  readonly path: string;
  /**
   * A path with a parameter whose values can spell this path. Its methods are served on this path too, so that the thing with
   * that name stays reachable.
   */
  readonly sharesPathWith?: string;
  readonly access: Access;
  /** What it can affect beyond the caller's own data; `CALLER_POLICY` says who may do that. */
  readonly reach: Reach;
  /** Callers that the policy would refuse create a draft instead, which an approver must publish. */
  readonly heldAs?: 'draft';
  /** The handler compares what it changes with the caller, so that no caller exceeds its own restrictions. */
  readonly comparesCaller?: true;
  /** A paused key may call it, because it only stops mail or checks who paused what. */
  readonly whilePaused?: true;
  readonly summary: string;
  readonly description: string;
  readonly effect: Effect;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Request headers that are part of the call, by lower-case name. Others are ignored. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly itemwise?: ItemwiseBody;
  /** Maximum size of the body in bytes. Default: `LIMITS.requestBodyBytes`. Read it with `bodyLimitOf`. */
  readonly bodyBytes?: number;
  /** For operations that would otherwise have no rate limit. */
  readonly anonymousLimits?: AnonymousLimits;
  readonly status: number;
  readonly response: ResponseKind;
  readonly contentType?: string;
  readonly output: z.ZodType;
  /** For `json`: returns text instead to a request whose `Accept` header prefers `text/plain`. */
  readonly asText?: string;
  /** For `stream`: the content types, with a description of each. */
  readonly streams?: Readonly<Record<string, z.ZodType>>;
  readonly alternatives?: readonly AlternativeResponse[];
  readonly further?: readonly FurtherResponse[];
  /** The operation that this one is an alias of. The SDK has only that one. */
  readonly aliasOf?: string;
  readonly deprecated?: Deprecation;
  /** Success headers in addition to those that follow from the declaration (`openapi-headers.ts`): name to description. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Codes in addition to those that follow from the declaration (`operation-errors.ts`). */
  readonly errors: readonly ErrorCode[];
  readonly mcp: McpExposure | null;
  readonly cli: CliExposure | null;
}

/** The maximum size of a request body, however it is sent. */
export function bodyLimitOf({ bodyBytes = LIMITS.requestBodyBytes }: Operation): number {
  return bodyBytes;
}

/** Declares an operation and preserves the literal types, so that the handler map and the SDK know every id. */
export function defineOperation<const O extends Operation>(operation: O): O {
  return operation;
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : Record<string, never>;
type Given<T> = T extends z.ZodType ? z.input<T> : Record<string, never>;

/** The validated input of a handler. */
export interface OperationInput<O extends Operation> {
  readonly params: Parsed<O['params']>;
  readonly query: Parsed<O['query']>;
  readonly headers: Parsed<O['headers']>;
  readonly body: O['body'] extends z.ZodType ? z.output<O['body']> : undefined;
}

/** The input as the caller passes it, before defaults and parsing. */
export interface OperationRequest<O extends Operation> {
  readonly params: Given<O['params']>;
  readonly query: Given<O['query']>;
  readonly headers: Given<O['headers']>;
  readonly body: O['body'] extends z.ZodType ? z.input<O['body']> : undefined;
}

export type OperationOutput<O extends Operation> =
  | z.input<O['output']>
  | (O['alternatives'] extends readonly AlternativeResponse[] ? z.input<O['alternatives'][number]['output']> : never);
