import type { CommandDescription, InputDescription } from './command-description.ts';
import { CliFailure, type FailureProblem } from './failure.ts';
import type { Invocation } from './invocation.ts';
import { recordsOf, textOf } from './output/json-value.ts';

type FieldError = NonNullable<FailureProblem['errors']>[number];
type Given = Pick<Invocation, 'command' | 'values' | 'own'>;

/**
 * A problem of the API in the words of the command line: its texts name flags and arguments in place of fields, and each of its `errors` gets
 * the `flag` to correct. The `path` of an error stays, since scripts know it from the API.
 */
export function inFlagWords({ exitCode, problem }: CliFailure, given: Given): CliFailure {
  const errors = recordsOf(problem.errors).map((error): FieldError => {
    const [path, message] = [textOf(error['path']), nameFlags(textOf(error['message']), given.command)];
    const flag = flagOfPath(path, given);
    return { path, code: textOf(error['code']), message, ...(flag === null ? {} : { flag }) };
  });
  return new CliFailure(exitCode, {
    ...problem,
    detail: nameFlags(withFirstFlag(textOf(problem.detail), errors[0]), given.command),
    fix: problem.fix === null ? null : nameFlags(textOf(problem.fix), given.command),
    ...(problem.errors === undefined ? {} : { errors }),
  });
}

/** The detail of a rejected request begins with the path of its first error. */
function withFirstFlag(detail: string, first: FieldError | undefined): string {
  return first?.flag !== undefined && detail.startsWith(`${first.path}: `)
    ? `${first.flag}${detail.slice(first.path.length)}`
    : detail;
}

/** A text in which code that is the name of a field names its flag: `html` becomes `--html`, and `utm.source` becomes `source`. */
function nameFlags(text: string, command: CommandDescription): string {
  return text.replaceAll(/`([A-Za-z][\w-]*)((?:\.[\w-]+)*)`/g, (written, name: string, rest: string) => {
    const input = inputNamed(name, command);
    if (input === undefined) return written;
    return rest === '' ? `\`${nameOf(input)}\`` : `\`${rest.slice(1)}\``;
  });
}

/** The flag or argument that set the field at a path, with the part of its value that is meant; null if none did. */
function flagOfPath(path: string, given: Given): string | null {
  const [field = '', ...rest] = path.split('.');
  const input = inputNamed(field, given.command);
  if (input === undefined) return null;
  const name = nameOf(input);
  if (rest.length === 0) return name;
  const value = given.values[input.name];
  const { kind } = input.value;
  if (kind === 'map') return `${name} ${rest.join('.')}`;
  const item: unknown = kind === 'list' && Array.isArray(value) ? value[Number(rest[0])] : undefined;
  if (typeof item === 'string') return `${name} ${item}`;
  return flagOfFile(field, rest, value, given) ?? `${name} (${rest.join('.')})`;
}

/** The files of `--attach` come after those of `--attachments`. */
function flagOfFile(field: string, [index]: readonly string[], before: unknown, { own }: Given): string | null {
  const paths = field === 'attachments' ? own['attach'] : undefined;
  const path: unknown = Array.isArray(paths)
    ? paths[Number(index) - (Array.isArray(before) ? before.length : 0)]
    : null;
  return typeof path === 'string' ? `--attach ${path}` : null;
}

/** The API writes some names in camelCase and others in snake_case. */
function inputNamed(name: string, { inputs }: CommandDescription): InputDescription | undefined {
  const wanted = bare(name);
  return inputs.find((input) => bare(input.name) === wanted || bare(input.key) === wanted);
}

function bare(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

function nameOf({ flags: [flag], valueName }: InputDescription): string {
  return flag ?? `<${valueName}>`;
}
