import type { z } from 'zod';
import { knownFields, nearestName } from './known-fields.ts';
import type { FieldProblem } from './schemas/problem.ts';

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/** A body may have a million unknown fields: only the first ones get a suggestion. */
const SUGGESTIONS_MAX = 20;

/**
 * Converts the issues of a failed parse to the `errors` of a problem body: a dotted path, a stable code, and a sentence. For a union, it
 * reports the branch that fits the type of the value, so that a bad address in an array is not reported as "expected string".
 * @param schema the schema that parsed the value, used to suggest the intended field
 */
export function toFieldProblems(issues: readonly Issue[], root: string, schema?: Schema): FieldProblem[] {
  return issues.flatMap((issue) => toProblems(issue, [], root, schema));
}

function toProblems(
  issue: Issue,
  prefix: readonly PropertyKey[],
  root: string,
  schema: Schema | undefined,
): FieldProblem[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union') {
    // In a query, each value is a string first, and no list of types helps.
    const branch = fittingBranch(issue.errors) ?? (root === 'query' ? issue.errors.at(-1) : undefined);
    if (branch !== undefined) return branch.flatMap((inner) => toProblems(inner, path, root, schema));
    const message = issue.input === undefined ? 'is required' : `must be ${expectedTypes(issue.errors)}`;
    return [{ path: joinPath(path) || root, code: issue.input === undefined ? 'required' : 'invalid_type', message }];
  }
  if (issue.code === 'unrecognized_keys') {
    const known = schema === undefined ? [] : knownFields(schema, path);
    return issue.keys.map((key, at) => {
      const suggestion = at < SUGGESTIONS_MAX ? nearestName(key, known) : null;
      return unknownField([...path, key], suggestion);
    });
  }
  const isAboutItems = issue.code === 'custom' || issue.code === 'too_big';
  const isRepeated = root === 'query' && path.length === 1 && Array.isArray(issue.input) && !isAboutItems;
  const message = isRepeated ? 'is passed more than once; pass it once' : messageOf(issue);
  return [{ path: joinPath(path) || root, code: codeOf(issue), message }];
}

function unknownField(path: readonly PropertyKey[], suggestion: string | null): FieldProblem {
  const name = joinPath(path);
  const advice =
    suggestion === null ? 'omit it or correct it' : `did you mean \`${joinPath([...path.slice(0, -1), suggestion])}\`?`;
  return { path: name, code: 'unknown_field', message: `\`${name}\` is not a known field; ${advice}` };
}

const isWrongType = (issue: Issue) => issue.path.length === 0 && issue.code === 'invalid_type';

/** The branch whose type fits has no issue about the value as a whole. */
function fittingBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  return branches.find((issues) => !issues.some(isWrongType));
}

/** The types of all branches: `a string or an array`. */
function expectedTypes(branches: readonly (readonly Issue[])[]): string {
  const expected = branches
    .flat()
    .flatMap((issue) => (issue.code === 'invalid_type' ? [withArticle(issue.expected)] : []));
  return [...new Set(expected)].join(' or ');
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
  invalid_element: 'invalid_value',
};

function codeOf(issue: Issue): string {
  if (issue.code === 'custom')
    return typeof issue.params?.['code'] === 'string' ? issue.params['code'] : 'invalid_value';
  if (issue.code === 'invalid_type') return issue.input === undefined ? 'required' : 'invalid_type';
  if (issue.code === 'too_big' || issue.code === 'too_small') return sizeCode(issue);
  if (issue.code === 'invalid_key' && issue.issues[0] !== undefined) return codeOf(issue.issues[0]);
  return CODES[issue.code] ?? 'invalid_value';
}

function sizeCode(issue: Extract<Issue, { code: 'too_big' | 'too_small' }>): string {
  if (issue.origin === 'number' || issue.origin === 'int') return 'out_of_range';
  if (issue.origin === 'array' || issue.origin === 'set') return issue.code === 'too_big' ? 'too_many' : 'too_few';
  return issue.code === 'too_big' ? 'too_long' : 'too_short';
}

/** Replaces the validator's type names by those of JSON. */
function messageOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return sizeMessage(issue.origin, 'at least', issue.minimum);
    case 'too_big':
      return sizeMessage(issue.origin, 'at most', issue.maximum);
    case 'invalid_key': {
      const [inner] = issue.issues;
      return `has an invalid name: ${inner === undefined ? 'it is not allowed' : messageOf(inner)}`;
    }
    default:
      return lowerFirst(issue.message);
  }
}

function sizeMessage(origin: string, bound: 'at least' | 'at most', limit: number | bigint): string {
  const plural = Number(limit) === 1 ? '' : 's';
  if (origin === 'string') return `must have ${bound} ${limit} character${plural}`;
  if (origin === 'array' || origin === 'set') return `must have ${bound} ${limit} item${plural}`;
  return `must be ${bound} ${limit}`;
}

/** JSON's type names; other types keep their names. */
function withArticle(expected: string): string {
  const name = expected === 'record' ? 'object' : expected === 'int' ? 'integer' : expected;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
