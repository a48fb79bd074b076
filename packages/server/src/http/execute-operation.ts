import {
  type AnyOperation,
  type CallableId,
  type CallableOperation,
  type FieldProblem,
  type Operation,
  type OperationInput,
  type PlacedInput,
  scopesOfRole,
} from '@postrider/core';
import { z } from 'zod';
import type { Person } from '../keys/caller.ts';
import type { CallContext, Reply } from '../operations/context.ts';
import { HANDLERS } from '../operations/generated/handlers.ts';
import { parsePart, validationFailed } from '../operations/parse-part.ts';
import { ProblemError } from '../problem.ts';
import { assertReach } from './assert-reach.ts';

/**
 * Runs an operation, whatever way the call came in: scope, reach, shape, then the handler. Every surface comes through here, so none can do
 * what another refuses.
 * @throws ProblemError for every refusal.
 */
export async function executeOperation(
  operation: CallableOperation,
  given: PlacedInput,
  context: CallContext,
): Promise<Reply<unknown>> {
  assertScope(operation, context);
  assertReach(operation, context);
  const input = parseInput(operation, given);
  // The registry ties id, input and handler together; a generic call cannot follow that through the union.
  const handler = HANDLERS[operation.id as CallableId] as (
    input: unknown,
    context: CallContext,
  ) => Promise<Reply<unknown>>;
  return await handler(input, bindContext(operation, context));
}

/** A handler behind a key reaches the database bound to its caller's account, and in no other way. */
function bindContext(operation: CallableOperation, context: CallContext): CallContext {
  if (operation.access.kind !== 'key' || context.caller === null) return context;
  // Field by field: an object that inherits from another one makes every access to either of them slow.
  return {
    services: context.services.forAccount(context.caller.accountId),
    requestId: context.requestId,
    via: context.via,
    address: context.address,
    prefersText: context.prefersText,
    caller: context.caller,
    // Made only where somebody asks for them.
    get clientInfo() {
      return context.clientInfo;
    },
    get signal() {
      return context.signal;
    },
    rawBody: context.rawBody,
    noteEmail: context.noteEmail,
  };
}

/** The scope check alone, so that the router can refuse before it reads a body. */
export function assertScope(operation: AnyOperation, context: Pick<CallContext, 'caller'>): void {
  const { access } = operation;
  if (access.kind !== 'key' || access.scope === null) return;
  const person = context.caller?.person ?? null;
  if ('people' in access && access.people === 'owners' && person !== null && person.role !== 'owner') {
    throw roleLacks(person, 'Only owners may do this');
  }
  if (context.caller?.scopes.includes(access.scope)) return;
  if (person !== null && scopesOfRole(person.role).includes(access.scope)) throw deviceLacks();
  if (person !== null) throw roleLacks(person, `It needs what the scope \`${access.scope}\` stands for`);
  // Such a key can never get the scope: what it is to hear is why.
  if (access.scope === 'approvals:decide' && context.caller?.approval) {
    throw new ProblemError('self_approval_forbidden', { detail: 'A key in approval mode decides nothing.' });
  }
  throw new ProblemError('missing_scope', { detail: `The key lacks the scope \`${access.scope}\`.` });
}

/** Of a device session: the role has it, and the user did not tick it. */
function deviceLacks(): ProblemError {
  return new ProblemError('missing_scope', {
    detail: 'This device session may not approve or reject held sends, because its sign-in did not allow it.',
    fix: 'Sign in again (`postrider login`) and tick “Approve and reject held sends” on the page, or decide in the browser.',
  });
}

function roleLacks({ role }: Person, why: string): ProblemError {
  return new ProblemError('missing_scope', {
    detail: `Your role \`${role}\` does not allow this. ${why}.`,
    fix: 'Ask an owner or admin of the account for another role.',
  });
}

/** An operation that names no query parameters takes none: what a caller asked for there would be dropped in silence. */
const NO_PARAMETERS = z.strictObject({});

/** An operation without a body takes an empty one: clients send `{}` where they have nothing to say, and nothing else may be dropped. */
function noBody(given: unknown): z.ZodType | undefined {
  return given === undefined || given === null ? undefined : NO_PARAMETERS;
}

/**
 * The query of an operation that speaks a protocol of its own.
 * @throws ProblemError for parameters that break their schema.
 */
export function parseQuery<O extends AnyOperation>(operation: O, query: unknown): OperationInput<O>['query'] {
  const shape: Operation = operation;
  const part = parsePart(shape.query ?? NO_PARAMETERS, query, 'query');
  if (!part.ok) throw validationFailed(part.problems);
  return part.data as OperationInput<O>['query']; // What the operation's own schema answered.
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
