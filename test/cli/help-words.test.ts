import { COMMANDS, type CommandDescription, GLOBAL_FLAG_NAMES, helpPages, OWN_COMMANDS } from '@postrider/cli';
import { ERRORS, OPERATIONS, type Operation } from '@postrider/core';
import { describe, expect, it } from 'vitest';

/** They call the API by method and path, or list such calls. */
const ABOUT_HTTP: readonly string[] = ['api', 'requests list', 'requests get', 'requests tail'];
/** These describe the JSON that they print, or accept JSON with these names. */
const SHOW_JSON: readonly string[] = ['audit verify', 'commands', 'doctor', 'tickets create'];

const ALL: readonly CommandDescription[] = [...COMMANDS, ...OWN_COMMANDS];
const OTHERS = ALL.filter(({ command }) => !ABOUT_HTTP.includes(command));

const OPERATION_LIST: readonly Operation[] = OPERATIONS;
const STATUSES = [
  ...new Set([
    ...OPERATION_LIST.flatMap(({ status, alternatives = [] }) => [
      status,
      ...alternatives.map((other) => other.status),
    ]),
    ...Object.values(ERRORS).map(({ status }) => status),
  ]),
];
/** A number with a unit, or the end of a range, is no status. */
const STATUS = new RegExp(
  `(?<!\\bto )\\b(?:${STATUSES.join('|')}|[1-5]xx)\\b(?! (?:characters|bytes|messages|seconds|days)\\b)`,
);
const HEADER_NAMES = [
  ...new Set([
    ...OPERATION_LIST.flatMap(({ headers }) => Object.keys(headers?.shape ?? {})),
    ...OPERATION_LIST.flatMap(({ responseHeaders = {} }) => Object.keys(responseHeaders)),
    ...['accept', 'authorization', 'content-type', 'idempotency-replayed', 'retry-after', 'x-request-id'],
  ]),
];
/** Names of one word are words of their own unless a colon follows. */
const HEADER = new RegExp(
  `(?<!--)\\b(?:${HEADER_NAMES.map((name) => (name.includes('-') ? name : `${name}:`)).join('|')})`,
  'i',
);

/** Everything that help says, except the examples and the names of flags. */
function textsOf({ summary, description, inputs, flags = [], args = [] }: CommandDescription): readonly string[] {
  return [
    summary,
    description,
    ...inputs.flatMap((input) => [input.description, input.moreHelp ?? '']),
    ...[...flags, ...args].map((own) => own.description),
  ];
}

/** The texts with a match, each with its command. */
function found(pattern: RegExp, commands: readonly CommandDescription[] = OTHERS): readonly string[] {
  return commands.flatMap((command) =>
    textsOf(command)
      .filter((text) => pattern.test(text))
      .map((text) => `${command.command}: ${pattern.exec(text)?.[0]} in "${text}"`),
  );
}

describe('the help of a command', () => {
  it.each([
    ['The response is 409 `already_exists`.', STATUS],
    ['Any 2xx response is success.', STATUS],
    ['With `Accept: text/plain` it is text.', HEADER],
    ['With `Idempotency-Key`, it can be repeated.', HEADER],
  ])('would not say: %s', (text, pattern) => {
    expect(text).toMatch(pattern);
  });

  it('names no HTTP status', () => {
    expect(found(STATUS)).toEqual([]);
  });

  it('names no HTTP method and no path', () => {
    expect(found(/\b(?:GET|POST|PUT|PATCH|DELETE|HEAD)\b|(?:^|[\s`])\/(?!dev\/)[a-z]+/)).toEqual([]);
  });

  it('names no HTTP header', () => {
    expect(found(HEADER)).toEqual([]);
  });

  it('names no field of a response, unless it describes the JSON', () => {
    const commands = OTHERS.filter(({ command }) => !SHOW_JSON.includes(command));
    expect(found(/(?<![.\w])[a-z]+[A-Z]\w*/, commands)).toEqual([]);
  });

  it('names only flags that exist', () => {
    const known = new Set(GLOBAL_FLAG_NAMES.map((name) => `--${name}`));
    for (const { inputs, flags = [] } of ALL) {
      for (const flag of [...inputs.flatMap((input) => input.flags), ...flags.map((own) => own.flags)]) {
        for (const [name] of flag.matchAll(/--[a-z][a-z0-9-]*/g)) known.add(name);
      }
    }
    const unknown = ALL.flatMap((command) =>
      textsOf(command)
        .flatMap((text) => [...text.matchAll(/--[a-z][a-z0-9-]*/g)].map(([name]) => name))
        .filter((name) => !known.has(name))
        .map((name) => `${command.command}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('says of a negated flag what it turns off', () => {
    const pages = helpPages(ALL, 80).map(({ text }) => text);
    expect(pages.join('')).toMatch(/--no-dry-run +Turns off --dry-run\./);
    expect(pages.join('')).not.toContain('opposite');
  });
});
