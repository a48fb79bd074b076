import { describe, expect, it } from 'vitest';
import { runAgainst, runInProcess } from './run-in-process.ts';

const SEND = ['send', '--from', 'app@example.com', '--to', 'ada@example.org', '--subject', 'Hello'];

/** The usage problem of a command line. */
async function problemOf(argv: readonly string[]) {
  const { code, stdout, stderr } = await runInProcess([...argv, '--json']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  return JSON.parse(stderr);
}

describe('a wrong command line', () => {
  it('exits with 2 and sends nothing', { tags: ['contract-cli.exit-2'] }, async () => {
    const { code, received } = await runAgainst([], ['emails', 'list', '--limit', 'many']);
    expect({ code, received }).toEqual({ code: 2, received: [] });
  });

  it('is reported as a problem with a fix', async () => {
    expect(await problemOf(['emails', 'list', '--status', 'bounce'])).toMatchObject({
      type: 'about:blank',
      status: null,
      code: 'usage',
      retryable: false,
      requestId: null,
      fix: expect.any(String),
    });
  });

  it('is reported to people in sentences', async () => {
    const { stderr } = await runInProcess(['emails', 'lisst'], { columns: 80 });
    expect(stderr).toBe("Error: unknown command 'lisst' (usage)\nFix: Did you mean list?\n");
  });

  it('is reported in sentences when only stdout is piped', async () => {
    const { stderr } = await runInProcess(['emails', 'lisst'], { isErrTty: true });
    expect(stderr).toContain('Fix: Did you mean list?');
  });

  it.each([
    ['an unknown flag', ['emails', 'list', '--statsu', 'sent'], "unknown option '--statsu'", 'Did you mean --status?'],
    ['an unknown command', ['emials'], "unknown command 'emials'", 'Did you mean emails?'],
    ['an unknown value', ['emails', 'list', '--status', 'x'], '--status', undefined],
    ['a time in words', ['emails', 'list', '--from', 'yesterday'], "'yesterday' is invalid. Use a time", undefined],
    ['a time without an offset', [...SEND, '--scheduled-at', '2026-01-31T09:00'], 'a duration such as PT2H', undefined],
    ['a number out of range', ['emails', 'list', '--limit', '101'], 'from 1 to 100', undefined],
    ['an invalid number', ['emails', 'list', '--limit', '1e1'], 'whole number', undefined],
    ['a flag without its value', ['emails', 'list', '--cursor'], '--cursor needs a value', undefined],
    ['a flag where a value belongs', [...SEND, '--text', '--to', 'x'], '--text needs a value', undefined],
    ['a repeated flag', ['emails', 'list', '--limit', '1', '--limit', '2'], 'Pass it only once', undefined],
    ['a missing id', ['emails', 'get'], "missing required argument 'id'", undefined],
    ['an id that is a dot segment', ['emails', 'get', '..', '--api-key', 'k'], 'dot segment', undefined],
    ['too many arguments', ['whoami', 'again'], 'too many arguments', undefined],
    ['an invalid time', ['whoami', '--timeout', '0'], '--timeout', undefined],
    ['two output formats', ['whoami', '--output', 'table'], '--output', undefined],
    ['an invalid address', ['whoami', '--base-url', 'localhost', '--api-key', 'k'], 'http', undefined],
    ['a header without a colon', [...SEND, '--header', 'X-Team'], '"Name: value"', undefined],
    ['a repeated header', [...SEND, '--header', 'X-A: 1', '--header', 'X-A: 2'], 'X-A', undefined],
    ['metadata without a name', [...SEND, '--metadata', '=17'], 'name=value', undefined],
    ['an invalid wait', [...SEND, '--wait', 'long'], '--wait', undefined],
    ['a channel, which the CLI does not offer', [...SEND, '--channel', 'api'], '--channel', undefined],
  ])('names %s', async (_, argv, detail, fix) => {
    const problem = await problemOf(argv);
    expect(problem.detail).toContain(detail);
    if (fix !== undefined) expect(problem.fix).toBe(fix);
  });

  it('names everything that is missing together, with an example', async () => {
    const problem = await problemOf(['send', '--text', 'Hi']);
    expect(problem.detail).toBe('missing --from <address>, --to <address>');
    expect(problem.fix).toContain('postrider send --from');
  });

  it('prints the commands of a group to stderr when the command is missing', async () => {
    const { code, stdout, stderr } = await runInProcess(['emails'], { columns: 80 });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: postrider emails');
  });

  it.each([
    [['nosuch'], 'nosuch', 'See postrider --help.'],
    [['help', 'nosuch'], 'nosuch', 'See postrider --help.'],
    [['help', 'emals'], 'emals', 'Did you mean emails?'],
    [['help', '--quiet', 'emals'], 'emals', 'Did you mean emails?'],
    [['--quiet', 'help', 'emals'], 'emals', 'Did you mean emails?'],
    [['emals', '--help'], 'emals', 'Did you mean emails?'],
    [['--profile', 'work', 'emals', '--help'], 'emals', 'Did you mean emails?'],
    [['helpp'], 'helpp', 'Did you mean help?'],
    [['emails', 'lsit'], 'lsit', 'Did you mean list?'],
    [['help', 'mcp', 'nosuch'], 'nosuch', 'Use one of: install, uninstall.'],
    [['mcp', 'nosuch', '--help'], 'nosuch', 'Use one of: install, uninstall.'],
    [['help', 'approvals', 'aprove'], 'aprove', 'Did you mean approve?'],
    [['help', 'emails', 'list', 'now'], 'now', 'See postrider emails list --help.'],
    [['approve', 'x'], 'approve', 'Did you mean approvals approve?'],
  ])('names an unknown command: %j', async (argv, word, fix) => {
    expect(await problemOf(argv)).toMatchObject({ detail: `unknown command '${word}'`, fix });
  });

  it('may ask for the help of help', async () => {
    const { code, stdout } = await runInProcess(['help', '--help']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Usage: postrider [options]') });
  });

  it('cannot write escape sequences to the terminal through what it quotes', async () => {
    const { stderr } = await runInProcess(['emails', 'list', '--status', '\u001b[31mred\nFix: lie'], { columns: 80 });
    expect(stderr).not.toContain('\u001b');
    expect(stderr).not.toContain('\nFix: lie');
  });

  it('never shows the key', async () => {
    const { stderr } = await runInProcess(['emails', 'lisst', '--api-key', 'pr_live_secret']);
    expect(stderr).not.toContain('pr_live_secret');
  });
});
