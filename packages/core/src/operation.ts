import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { LIMITS } from './limits.ts';
import type { Reach } from './reach.ts';
import type { Scope } from './scopes.ts';
import type { Toolset } from './toolsets.ts';

/**
 * What a call does to the world; retry rules, MCP annotations and the CLI's confirmations follow from it. An `update` made twice is as if it
 * were made once; a `replace` puts something new in the place of what was there at every call.
 */
export type Effect = 'read' | 'create' | 'update' | 'replace' | 'delete' | 'send';

/**
 * Who may call: everyone; the holder of a key (with a scope, where one is named), or a signed-in person whose role allows what that scope
 * stands for; or a signed-in person alone. `people` of an operation behind a key: `none` where it is about the key itself, `owners` where of
 * all people only they may. `session` of a public operation: which sessions change what it returns, though it needs none.
 */
export type Access =
  | { readonly kind: 'public'; readonly session?: 'any' | 'cookie' }
  | { readonly kind: 'key'; readonly scope: Scope | null; readonly people?: 'none' | 'owners' }
  | { readonly kind: 'session' };

/** A number that a tool keeps lower than the API does; it is the default too, unless it is optional. */
export interface Ceiling {
  readonly max: number;
  /** The API's own limit: what lies beyond it goes on to the API, which refuses it and names that limit. */
  readonly apiMax: number;
  readonly description: string;
  /** Whether the argument stays out of the request where it is not given. */
  readonly optional?: boolean;
}

/** A tool that calls the operation. Its hints follow from the effect, its scope from the access, and its schemas from input and output. */
export interface McpTool {
  readonly tool: string;
  /** The toolset that brings it; null where every connection has it. Those are few on purpose: about 16, within 6,000 tokens. */
  readonly toolset: Toolset | null;
  readonly title: string;
  /** What for, what not for, what comes back; at most 400 characters. */
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
 * `json` answers a body described by `output`; `text` answers a string as it is; `stream` answers a file piece by piece, of one of the types
 * in `streams`; `raw` routes speak a protocol of their own.
 */
export type ResponseKind = 'json' | 'text' | 'stream' | 'raw';

/**
 * A response beside the successes that no problem of the catalogue describes: a redirect, a page, an envelope of another protocol. It is
 * documented, and clients of the SDK never see it as a success.
 */
export interface FurtherResponse {
  readonly status: number;
  readonly summary: string;
  /** By content type; none where there is no body. */
  readonly content?: Readonly<Record<string, z.ZodType>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A further success beside `status`, which some requests are answered with. */
export interface AlternativeResponse {
  readonly status: number;
  /** The field of the body that asks for it by being true; null where the request does not say, and the answer is of the same kind. */
  readonly when: string | null;
  readonly summary: string;
  readonly output: z.ZodType;
}

/**
 * A body that carries many requests of one kind in a list. The edge checks the list alone: each item is read by `item` in the handler, so
 * that a wrong one is refused by itself. What is published is the list of `item`s all the same.
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

/** An operation on its way out. It works as before until its sunset; docs/compatibility.md says how long that is at least. */
export interface Deprecation {
  /** The day since when it should not be used, `YYYY-MM-DD`. */
  readonly since: string;
  /** The day from which it may be gone, `YYYY-MM-DD`; null where none is set. */
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
  /** What it can cause beyond its caller's own data; `CALLER_POLICY` says who may. */
  readonly reach: Reach;
  /** Callers that the policy would refuse make a draft instead, which waits for a person. */
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
  /** Bytes a body may have at most; `LIMITS.requestBodyBytes` where the operation does not say. Read through `bodyLimitOf`. */
  readonly bodyBytes?: number;
  /** Of operations anybody may call as often as they like otherwise. */
  readonly anonymousLimits?: AnonymousLimits;
  readonly status: number;
  readonly response: ResponseKind;
  readonly contentType?: string;
  readonly output: z.ZodType;
  /** Of `json`: what a request that prefers `text/plain` (its `Accept` header says so) is answered with instead. */
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

/** Declares an operation; the literal types stay, so that the handler map and the SDK know every id. */
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
