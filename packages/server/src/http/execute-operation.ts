import {
  type AnyOperation,
  type CallableId,
  type CallableOperation,
  type FieldProblem,
  LIMITS,
  type Operation,
  type OperationInput,
  type PlacedInput,
  scopesOfRole,
} from '@postrider/core';
import { z } from 'zod';
import { countCharacters } from '../json-pieces.ts';
import type { User } from '../keys/caller.ts';
import type { CallContext, Reply, Services } from '../operations/context.ts';
import { HANDLERS } from '../operations/generated/handlers.ts';
import { parsePart, validationFailed } from '../operations/parse-part.ts';
import { ProblemError } from '../problem.ts';
import { assertReach } from './assert-reach.ts';

/**
 * Runs an operation for every surface: scope, reach, input validation, then the handler. All surfaces use this function,
 * so that none can do what another rejects.
 * @throws ProblemError for every rejection.
 */
export async function executeOperation(
  operation: CallableOperation,
  given: PlacedInput,
  context: CallContext,
): Promise<Reply<unknown>> {
  assertScope(operation, context);
  assertReach(operation, context);
  const messages = countMessages(operation, given.body);
  if (messages === 0 || context.caller === null) return await run(operation, given, context);
  const { shares } = context.services.sending;
  const started = shares.start(context.caller.accountId, messages, () => countCharacters(given.body));
  const end = started instanceof Promise ? await started : started;
  try {
    return await run(operation, given, context);
  } finally {
    end();
  }
}

/** The messages that a call may send; 0 for operations that do not send. Validation costs most, so they are counted before it. */
function countMessages({ id }: CallableOperation, body: unknown): number {
  if (id === 'emails.send') return 1;
  if (id !== 'emails.send-batch') return 0;
  const emails = typeof body === 'object' && body !== null && 'emails' in body ? body.emails : [];
  return Array.isArray(emails) ? Math.min(Math.max(emails.length, 1), LIMITS.emailsPerBatch) : 1;
}

function run(operation: CallableOperation, given: PlacedInput, context: CallContext): Promise<Reply<unknown>> {
  const input = parseInput(operation, given);
  // The registry ties id, input and handler together; a generic call cannot follow that through the union.
  const handler = HANDLERS[operation.id as CallableId] as (
    input: unknown,
    context: CallContext,
  ) => Promise<Reply<unknown>>;
  return handler(input, bindContext(operation, context));
}

/** A handler for a key can only access the database bound to its caller's account. */
function bindContext(operation: CallableOperation, context: CallContext): CallContext {
  if (operation.access.kind !== 'key' || context.caller === null) return context;
  return new BoundContext(context, context.services.forAccount(context.caller.accountId));
}

/** Field by field: prototype inheritance would make every access to both objects slow. */
class BoundContext implements CallContext {
  readonly services: Services;
  readonly requestId: string;
  readonly via: CallContext['via'];
  readonly address: string;
  readonly prefersText: boolean;
  readonly caller: CallContext['caller'];
  readonly rawBody: unknown;
  readonly #context: CallContext;

  constructor(context: CallContext, services: Services) {
    this.services = services;
    this.requestId = context.requestId;
    this.via = context.via;
    this.address = context.address;
    this.prefersText = context.prefersText;
    this.caller = context.caller;
    this.rawBody = context.rawBody;
    this.#context = context;
  }

  /** Created only when used, like `signal`. */
  get clientInfo(): CallContext['clientInfo'] {
    return this.#context.clientInfo;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }

  readConfirmed(): ReturnType<CallContext['readConfirmed']> {
    return this.#context.readConfirmed();
  }

  noteEmail(id: string): void {
    this.#context.noteEmail(id);
  }
}

/** Only the scope check, so that the router can reject before it reads a body. */
export function assertScope(operation: AnyOperation, context: Pick<CallContext, 'caller'>): void {
  const { access } = operation;
  if (access.kind !== 'key' || access.scope === null) return;
  const user = context.caller?.user ?? null;
  if ('users' in access && access.users === 'owners' && user !== null && user.role !== 'owner') {
    throw roleLacks(user, 'Only owners may do this');
  }
  if (context.caller?.scopes.includes(access.scope)) return;
  if (user !== null && scopesOfRole(user.role).includes(access.scope)) throw deviceLacks();
  if (user !== null) throw roleLacks(user, `It requires the permissions of the scope \`${access.scope}\``);
  // Such a key can never get the scope, so the message says why.
  if (access.scope === 'approvals:decide' && context.caller?.approval) {
    throw new ProblemError('self_approval_forbidden', { detail: 'A key in approval mode cannot make decisions.' });
  }
  throw new ProblemError('missing_scope', { detail: `The key lacks the scope \`${access.scope}\`.` });
}

/** For a device session: the role allows it, but the user did not tick the option. */
function deviceLacks(): ProblemError {
  return new ProblemError('missing_scope', {
    detail: 'This device session may not approve or reject held sends, because its sign-in did not allow it.',
    fix: 'Sign in again (`postrider login`) and tick “Approve and reject held sends” on the page, or decide in the browser.',
  });
}

function roleLacks({ role }: User, why: string): ProblemError {
  return new ProblemError('missing_scope', {
    detail: `Your role \`${role}\` does not allow this. ${why}.`,
    fix: 'Ask an owner or admin of the account for another role.',
  });
}

/** An operation without query parameters accepts none: otherwise they would be silently ignored. */
const NO_PARAMETERS = z.strictObject({});

/**
 * An operation without a body accepts an empty one, because clients send `{}` when they have nothing to send. Anything
 * else would be silently ignored.
 */
function noBody(given: unknown): z.ZodType | undefined {
  return given === undefined || given === null ? undefined : NO_PARAMETERS;
}

/**
 * The query of an operation with its own protocol.
 * @throws ProblemError for parameters that do not match their schema.
 */
export function parseQuery<O extends AnyOperation>(operation: O, query: unknown): OperationInput<O>['query'] {
  const shape: Operation = operation;
  const part = parsePart(shape.query ?? NO_PARAMETERS, query, 'query');
  if (!part.ok) throw validationFailed(part.problems);
  return part.data as OperationInput<O>['query']; // The output of the operation's own schema.
}

function parseInput(operation: CallableOperation, given: PlacedInput): Record<keyof PlacedInput, unknown> {
  const shape: Operation = operation;
  const problems: FieldProblem[] = [];
  const parse = (schema: z.ZodType | undefined, value: unknown, root: string, itemsField?: string) => {
    if (schema === undefined) return root === 'body' ? undefined : {};
    const part = parsePart(schema, value, itemsField ?? root, itemsField);
    if (!part.ok) problems.push(...part.problems);
    return part.ok ? part.data : undefined;
  };
  const input = {
    params: parse(shape.params, given.params, 'path'),
    query: parse(shape.query ?? NO_PARAMETERS, given.query, 'query'),
    headers: parse(shape.headers, given.headers, 'headers'),
    body: parse(shape.body ?? noBody(given.body), given.body, 'body', shape.itemwise?.field),
  };
  if (problems.length > 0) throw validationFailed(problems);
  return input;
}
