import { COMMANDS, type CommandDefinition } from '@postrider/cli';
import { OPERATIONS } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { readCommandFiles } from '../../tools/generate/cli-command-files.ts';
import { describeOwnCommands, withDefinition } from '../../tools/generate/cli-definitions.ts';

const [COMMAND] = COMMANDS;
if (COMMAND === undefined) throw new Error('There are commands.');

const ABOUT = { summary: '', description: '', needsKey: true, scope: { of: 'emails.list' }, examples: [] } as const;
const OWN: CommandDefinition = { id: 'emails count', about: ABOUT };

describe('the files of commands', () => {
  it('are placed by the words of their commands, with the group’s own behavior last', async () => {
    const files = await readCommandFiles(OPERATIONS);
    const paths = files.map(({ path }) => path);
    expect(paths).toContain('emails/send.ts');
    expect(paths.indexOf('approvals.ts')).toBe(paths.indexOf('approvals/reject.ts') + 1);
    expect(new Set(files.map(({ definition }) => definition.id)).size).toBe(files.length);
  });

  it('take arguments, scopes and values from the contract of the operation', () => {
    const inputs = [{ of: 'emails.list' as const, only: ['tag', 'status'] }];
    const flags = { why: { flags: '--why <code>', description: '', value: { kind: 'choice' as const, choices: [] } } };
    const choicesOf = { of: 'approvals.decide', input: 'rejectCode' };
    const definition = { ...OWN, about: { ...ABOUT, inputs } };
    const [command] = describeOwnCommands([{ ...definition, flags: { why: { ...flags.why, choicesOf } } }], COMMANDS);
    expect(command).toMatchObject({ command: 'emails count', scope: 'emails:read' });
    expect(command?.inputs.map(({ name }) => name)).toEqual(['tag', 'status']);
    expect(command?.flags?.[0]?.value).toMatchObject({ choices: expect.arrayContaining(['wrong_recipient']) });
  });

  it('name arguments and operations that exist', () => {
    const help = { nothing: 'About nothing.' };
    expect(() => withDefinition(COMMAND, { id: COMMAND.id, help }, COMMANDS)).toThrow('no argument is named nothing');
    expect(() => describeOwnCommands([OWN], [])).toThrow('no command calls emails.list');
  });
});
