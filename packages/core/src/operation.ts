import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { LIMITS } from './limits.ts';
import type { Reach } from './reach.ts';
import type { Scope } from './scopes.ts';
import type { Toolset } from './toolsets.ts';

/**
 * The effect of a call; retry rules, MCP annotations and the CLI's confirmations follow from it. Repeating an `update` has no further effect;
 * a `replace` creates something new at every call.
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
  /** The API's own limit: a value above it is passed on to the API, which refuses it and names that limit. */
  readonly apiMax: number;
  readonly description: string;
  /** Whether the argument is omitted from the request if it is not passed. */
  readonly optional?: boolean;
}

/** A tool that calls the operation. Its hints follow from the effect, its scope from the access, and its schemas from input and output. */
export interface McpTool {
  readonly tool: string;
  /** The toolset that brings it; null where every connection has it. Those are few on purpose: about 16, within 6,000 tokens. */
  readonly toolset: Toolset | null;
  readonly title: string;
  /** What it does, when to use another tool, and what it returns; at most 400 characters. */
  readonly description: string;
  /** What a call does, where that is less than the operation can. */
  readonly effect?: Effect;
  /** Arguments the tool does not offer, because it sets them or another tool is for that. A call that has one is refused. */
  readonly hides?: readonly string[];
  /** The only arguments it offers, where they are few. */
  readonly offers?: readonly string[];
  /** The tool that describes the same arguments: here each only refers to it, since every word costs tokens in every listing. */
  readonly sameAs?: string;
  /** Arguments that have another name here: name to the argument of the operation. */
  readonly renames?: Readonly<Record<string, string>>;
  /** Beside that of pages, which every list has. */
  readonly ceilings?: Readonly<Record<string, Ceiling>>;
}

/** How the operation shows over MCP: its tool, and others that do a part of what it can. */
export interface McpExposure extends McpTool {
  readonly also?: readonly McpTool[];
}

/** How the operation shows as a CLI command: the words after `postrider`, and the positional arguments by input name. */
export interface CliExposure {
  readonly command: string;
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
  /** By content type; none where there is no body. */
  readonly content?: Readonly<Record<string, z.ZodType>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A second success status beside `status`, for some requests. */
export interface AlternativeResponse {
  readonly status: number;
  /** The field of the body that requests it by being true; null if no field does, and the response has the same form. */
  readonly when: string | null;
  readonly summary: string;
  readonly output: z.ZodType;
}

/**
 * A body with many requests of one kind in a list. The edge checks only the list; the handler parses each item with `item`, so that
 * invalid items are refused individually. The published schema is still a list of `item`s.
 */
export interface ItemwiseBody {
  /** The field with the list. */
  readonly field: string;
  readonly item: z.ZodType;
}

/** What a client without a key may do: requests a minute from one address, over all operations that share a count. */
export interface AnonymousLimits {
  readonly count: 'tools' | 'sign-in' | 'polls';
  readonly requestsPerMinute: number;
}

/** A deprecated operation. It works unchanged until its sunset; docs/compatibility.md states the minimum period. */
export interface Deprecation {
  /** The day since when it should not be used, `YYYY-MM-DD`. */
  readonly since: string;
  /** The day from which it may be removed, `YYYY-MM-DD`; null if none is set. */
  readonly sunset: string | null;
  /** What to use instead, in words. */
  readonly instead: string;
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `:name` parameters, unprefixed; the router serves it under `/v1` too. */
  readonly path: string;
  readonly access: Access;
  /** What it can affect beyond its caller's own data; `CALLER_POLICY` says who may do that. */
  readonly reach: Reach;
  /** Callers that the policy would refuse create a draft instead, which an approver has to publish. */
  readonly heldAs?: 'draft';
  /** It compares what it touches with its caller, so that no caller gets beyond its own restrictions. */
  readonly comparesCaller?: true;
  /** A paused key may call it: it only stops mail, or compares who paused what. */
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
  /** Of operations anybody may call as often as they like otherwise. */
  readonly anonymousLimits?: AnonymousLimits;
  readonly status: number;
  readonly response: ResponseKind;
  readonly contentType?: string;
  readonly output: z.ZodType;
  /** For `json`: the text returned to a request whose `Accept` header prefers `text/plain`. */
  readonly asText?: string;
  /** Of a `stream`: its content types, and what each is. */
  readonly streams?: Readonly<Record<string, z.ZodType>>;
  readonly alternatives?: readonly AlternativeResponse[];
  readonly further?: readonly FurtherResponse[];
  /** The operation that this one is another spelling of: the SDK has that one alone. */
  readonly aliasOf?: string;
  readonly deprecated?: Deprecation;
  /** Headers of the successes beside those that follow from the declaration (`openapi-headers.ts`): name to meaning. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Codes beyond those that follow from the declaration (`operation-errors.ts`). */
  readonly errors: readonly ErrorCode[];
  readonly mcp: McpExposure | null;
  readonly cli: CliExposure | null;
}

/** How many bytes the body of a request may have, by any way it is sent. */
export function bodyLimitOf({ bodyBytes = LIMITS.requestBodyBytes }: Operation): number {
  return bodyBytes;
}

/** Declares an operation and preserves the literal types, so that the handler map and the SDK know every id. */
export function defineOperation<const O extends Operation>(operation: O): O {
  return operation;
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : Record<string, never>;
type Given<T> = T extends z.ZodType ? z.input<T> : Record<string, never>;

/** The validated input a handler receives. */
export interface OperationInput<O extends Operation> {
  readonly params: Parsed<O['params']>;
  readonly query: Parsed<O['query']>;
  readonly headers: Parsed<O['headers']>;
  readonly body: O['body'] extends z.ZodType ? z.output<O['body']> : undefined;
}

/** The input as a caller writes it, before defaults and parsing. */
export interface OperationRequest<O extends Operation> {
  readonly params: Given<O['params']>;
  readonly query: Given<O['query']>;
  readonly headers: Given<O['headers']>;
  readonly body: O['body'] extends z.ZodType ? z.input<O['body']> : undefined;
}

export type OperationOutput<O extends Operation> =
  | z.input<O['output']>
  | (O['alternatives'] extends readonly AlternativeResponse[] ? z.input<O['alternatives'][number]['output']> : never);
