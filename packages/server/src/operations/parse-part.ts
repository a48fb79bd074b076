import { type FieldProblem, toFieldProblems } from '@postrider/core';
import type { z } from 'zod';
import { ProblemError } from '../problem.ts';
import { findTextFault } from './text-faults.ts';

type ParsedPart<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/**
 * Parses one part of a request by its schema: returns its value, or every fault in it.
 * @param root the path of a fault of the part as a whole.
 * @param itemsField a list whose items are parsed one by one later; their strings are checked then.
 */
export function parsePart<T>(schema: z.ZodType<T>, value: unknown, root: string, itemsField?: string): ParsedPart<T> {
  const fault = findTextFault(itemsField === undefined ? value : withoutField(value, itemsField));
  if (fault !== null) return { ok: false, problems: [{ ...fault, path: fault.path || root }] };
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { ok: true, data: result.data };
  const problems = toFieldProblems(result.error.issues, root, schema);
  const isWhole = itemsField !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value));
  return { ok: false, problems: isWhole ? problems.map((problem) => aboutBody(problem, itemsField)) : problems };
}

/** The path of such a fault is the list, but its rule is about the body around it. */
function aboutBody(problem: FieldProblem, itemsField: string): FieldProblem {
  return { ...problem, message: `must be in an object: send \`{"${itemsField}": […]}\`` };
}

function withoutField(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, [field]: null } : value;
}

/** A body of megabytes can break a rule a million times. Only the first faults are reported, each with a bounded message. */
const MAX_ERRORS = 100;
const MAX_PATH_CHARACTERS = 300;
/** More than the longest list of permitted values, the scopes of keys. */
const MAX_MESSAGE_CHARACTERS = 2_000;

export function validationFailed(faults: readonly FieldProblem[]): ProblemError {
  const errors = faults.slice(0, MAX_ERRORS).map(({ path, code, message }) => ({
    path: path.slice(0, MAX_PATH_CHARACTERS),
    code,
    message: message.slice(0, MAX_MESSAGE_CHARACTERS),
  }));
  const first = errors[0];
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const detail = `${first?.path}: ${first?.message}${more}`;
  return new ProblemError('validation_failed', { detail: detail.endsWith('?') ? detail : `${detail}.`, errors });
}
