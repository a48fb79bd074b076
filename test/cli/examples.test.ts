import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COMMANDS, OWN_COMMANDS } from '../../packages/cli/src/generated/commands.ts';
import type { Invocation } from '../../packages/cli/src/invocation.ts';
import { buildProgram } from '../../packages/cli/src/parser/program.ts';

const ALL = [...COMMANDS, ...OWN_COMMANDS];
const noInput = { async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {} };
const SILENT = { write: () => true };
const IO = { stdout: SILENT, stderr: SILENT, stdin: noInput, env: {}, cwd: '.' };

/** The part of an example that is our own command line: without pipes, redirections, remarks, and with something in place of `<id>`. */
function commandLineOf(example: string): string {
  const [, line = ''] = /(?:^|[ (])postrider (.*?)(?: [|<>] .*|\).*| {2,}#.*)?$/.exec(example) ?? [];
  return line.replace('<hash>', '0'.repeat(64)).replace(/<[\w -]+>/g, 'x');
}

/** The words of each line as a shell parts them. */
function wordsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const script = `set -f; while IFS= read -r line; do eval "words=($line)"; printf '%s\\x1f' "\${words[@]}"; echo; done`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\u001f').slice(0, -1));
}

describe('the examples in the help of every command', () => {
  it('are valid command lines', async () => {
    const examples = ALL.flatMap(({ command, examples }) => examples.map((example) => ({ command, example })));
    const argvs = wordsOf(examples.map(({ example }) => commandLineOf(example)));
    const faults: string[] = [];
    for (const [index, { command, example }] of examples.entries()) {
      let reached = '';
      const argv = argvs[index] ?? [];
      const run = async (invocation: Invocation) => {
        reached = invocation.command.id;
      };
      const program = buildProgram(ALL, IO, run, argv);
      await program.parseAsync(argv, { from: 'user' }).catch((error) => faults.push(`${example}: ${error.message}`));
      const description = ALL.find((one) => one.command === command);
      if (reached !== '' && reached !== description?.id) faults.push(`${example} is of ${reached}`);
    }
    expect(faults).toEqual([]);
    expect(examples.length).toBeGreaterThan(100);
  });
});
