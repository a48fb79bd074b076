import type { z } from 'zod';
import type { FieldProblem } from './schemas/problem.ts';

type Issue = z.core.$ZodIssue;

/** How a field that is not in the schema is reported: unknown, or known but brought by a later capability. */
export interface FieldNames {
  readonly upcoming: readonly string[];
}

/**
 * Turns the issues of a failed parse into the `errors` of a problem body: a path joined by dots, a stable code, and a sentence.
 * Of a union the branch is reported that fits the kind of value given, so that a bad address in an array is not "expected string".
 */
export function toFieldProblems(issues: readonly Issue[], names: FieldNames, root: string): FieldProblem[] {
  return issues.flatMap((issue) => toProblems(issue, [], names, root));
}

function toProblems(issue: Issue, prefix: readonly PropertyKey[], names: FieldNames, root: string): FieldProblem[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union') {
    const branch = likeliestBranch(issue.errors);
    return branch.flatMap((inner) => toProblems(inner, path, names, root));
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownField([...path, key], prefix.length === 0 && issue.path.length === 0, names));
  }
  return [{ path: joinPath(path) || root, code: codeOf(issue), message: messageOf(issue) }];
}

function unknownField(path: readonly PropertyKey[], atRoot: boolean, names: FieldNames): FieldProblem {
  const name = joinPath(path);
  if (atRoot && names.upcoming.includes(name)) {
    return { path: name, code: 'not_available', message: `\`${name}\` is not available in this version; leave it out` };
  }
  return { path: name, code: 'unknown_field', message: `\`${name}\` is not a known field; leave it out or correct it` };
}

/** The branch whose own type fits has no complaint about the value as a whole. */
function likeliestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const fitting = branches.find(
    (issues) => !issues.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type'),
  );
  return fitting ?? branches.at(-1) ?? [];
}

function joinPath(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

const CODES: Readonly<Record<string, string>> = {
  invalid_value: 'invalid_value',
  invalid_format: 'invalid_format',
  too_big: 'too_long',
  too_small: 'too_short',
  not_multiple_of: 'invalid_value',
  invalid_key: 'invalid_value',
  invalid_element: 'invalid_value',
};

function codeOf(issue: Issue): string {
  if (issue.code === 'custom')
    return typeof issue.params?.['code'] === 'string' ? issue.params['code'] : 'invalid_value';
  if (issue.code === 'invalid_type') return issue.input === undefined ? 'required' : 'invalid_type';
  if (issue.code === 'too_big' || issue.code === 'too_small') return sizeCode(issue);
  return CODES[issue.code] ?? 'invalid_value';
}

function sizeCode(issue: Extract<Issue, { code: 'too_big' | 'too_small' }>): string {
  if (issue.origin === 'number' || issue.origin === 'int') return 'out_of_range';
  if (issue.origin === 'array' || issue.origin === 'set') return issue.code === 'too_big' ? 'too_many' : 'too_few';
  return issue.code === 'too_big' ? 'too_long' : 'too_short';
}

function messageOf(issue: Issue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_key')
    return `has a name that breaks a rule: ${lowerFirst(issue.issues[0]?.message ?? '')}`;
  return lowerFirst(issue.message);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
