import type { OwnInput } from '../define-command.ts';

type Flag = Pick<OwnInput, 'name' | 'valueName' | 'description'> & Partial<OwnInput>;

export const NOTE: Flag = { name: 'note', valueName: 'text', description: 'Note about the new version.' };
export const FILES =
  'A template is `<slug>.html`, `<slug>.txt` or both, with its name and subject in `<slug>.json`: {"name": …, "subject": …}.';

export function positionalInput(name: string, valueName: string, description: string, required: boolean): OwnInput {
  return { ...flagInput({ name, valueName, description }), positional: true, required, flags: [] };
}

/** The place is not used: these commands build their requests themselves. */
export function flagInput(input: Flag): OwnInput {
  const { name } = input;
  return {
    ...{ place: 'body', key: name, flags: [`--${name}`], value: { kind: 'text' } },
    ...input,
  };
}
