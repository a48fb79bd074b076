import {
  type AnyOperation,
  type CallableId,
  type CallableOperation,
  type FieldProblem,
  type Operation,
  type PlacedInput,
  toFieldProblems,
} from '@postrider/core';
import type { z } from 'zod';
import type { CallContext, Reply } from '../operations/context.ts';
import { HANDLERS } from '../operations/index.ts';
import { ProblemError } from '../problem.ts';
import { findTextFault } from './text-faults.ts';

/**
 * Runs an operation, whatever way the call came in: scope, then shape, then the handler. REST and MCP both come through here, so neither
 * can do what the other refuses.
 * @throws ProblemError for every refusal.
 */
export async function executeOperation(
  operation: CallableOperation,
  given: PlacedInput,
  context: CallContext,
): Promise<Reply<unknown>> {
  assertScope(operation, context);
  const input = parseInput(operation, given);
  // The registry ties id, input and handler together; a generic call cannot follow that through the union.
  const handler = HANDLERS[operation.id as CallableId] as (
    input: unknown,
    context: CallContext,
  ) => Promise<Reply<unknown>>;
  return await handler(input, context);
}

/** The scope check alone, so that the router can refuse before it reads a body. */
export function assertScope(operation: AnyOperation, context: Pick<CallContext, 'caller'>): void {
  const { access } = operation;
  if (access.kind === 'public' || access.scope === null) return;
  if (context.caller?.scopes.includes(access.scope)) return;
  throw new ProblemError('missing_scope', { detail: `The key lacks the scope \`${access.scope}\`.` });
}

function parseInput(operation: CallableOperation, given: PlacedInput): Record<keyof PlacedInput, unknown> {
  const shape: Operation = operation;
  const upcoming = shape.upcoming ?? {};
  const problems: FieldProblem[] = [];
  const parse = (schema: z.ZodType | undefined, value: unknown, root: string, names: readonly string[] = []) => {
    if (schema === undefined) return root === 'body' ? undefined : {};
    const fault = findTextFault(value);
    if (fault !== null) {
      problems.push({ path: fault.path || root, code: 'invalid_unicode', message: fault.message });
      return undefined;
    }
    const result = schema.safeParse(value, { reportInput: true });
    if (result.success) return result.data;
    problems.push(...toFieldProblems(result.error.issues, { upcoming: names }, root));
    return undefined;
  };
  const input = {
    params: parse(shape.params, given.params, 'path'),
    query: parse(shape.query, given.query, 'query', upcoming.query),
    headers: parse(shape.headers, given.headers, 'headers'),
    body: parse(shape.body, given.body, 'body', upcoming.body),
  };
  if (problems.length > 0) throw validationFailed(problems);
  return input;
}

function validationFailed(errors: readonly FieldProblem[]): ProblemError {
  const first = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new ProblemError('validation_failed', { detail: `${first?.path}: ${first?.message}${more}.`, errors });
}
