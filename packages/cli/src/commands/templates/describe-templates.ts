import type { CommandDescription, InputDescription } from '../../command-description.ts';

type Flag = Pick<InputDescription, 'name' | 'valueName' | 'description'> & Partial<InputDescription>;

const NOTE: Flag = { name: 'note', valueName: 'text', description: 'What the new version is about.' };
const FILES =
  'A template is `<slug>.html` and `<slug>.txt`, one of them or both, with its name and its subject in `<slug>.json`: {"name": …, "subject": …}.';

/** What the CLI does with templates beyond their operations. */
export const TEMPLATE_COMMANDS: readonly CommandDescription[] = [
  {
    id: 'templates push',
    command: 'templates push',
    summary: 'Store templates from files',
    description: `Brings the server to what the files say: new templates are created, changed ones get a new version, equal ones stay as they are. ${FILES} What has no file is taken away from the template; templates without files are left alone. Every file is read before the first is stored.`,
    needsKey: true,
    scope: 'templates:write',
    examples: [
      'postrider templates push templates/',
      'postrider templates push templates/welcome.html --note "New footer"',
    ],
    inputs: [
      positional('path', 'path', 'A folder, or one file of a template.', true),
      flag(NOTE),
      flag({
        name: 'check',
        valueName: '',
        description: 'Only tell what would be done.',
        value: { kind: 'boolean' },
      }),
    ],
  },
  {
    id: 'templates pull',
    command: 'templates pull',
    summary: 'Write templates to files',
    description: `Writes one template, or all of the account, to files in the form that push reads. ${FILES} Files of the same name are overwritten.`,
    needsKey: true,
    scope: 'templates:read',
    examples: ['postrider templates pull', 'postrider templates pull welcome --dir mail'],
    inputs: [
      positional('id', 'id', 'Template id or slug; all of them unless given.', false),
      flag({ name: 'dir', valueName: 'path', description: 'The folder to write to; `templates` unless given.' }),
    ],
  },
  {
    id: 'templates preview',
    command: 'templates preview',
    summary: 'Render template files without storing them',
    description: `Has the server render the files of one template with sample values, to see a change before it is pushed. ${FILES} The template has to be there under its slug already.`,
    needsKey: true,
    scope: 'templates:read',
    examples: [
      `postrider templates preview templates/welcome.html --variables '{"name":"Ada"}'`,
      'postrider templates preview templates/welcome.html --variables @sample.json --out preview.html',
    ],
    inputs: [
      positional('path', 'path', 'A file of the template.', true),
      flag({ name: 'variables', valueName: 'json', description: 'Sample values as JSON, or @file, or - for stdin.' }),
      flag({ name: 'out', valueName: 'path', description: 'Write the rendered html to this file.' }),
    ],
  },
  {
    id: 'templates rollback',
    command: 'templates rollback',
    summary: 'Go back to an earlier version',
    description: 'Makes a new version that equals an earlier one; what came between stays in the history.',
    needsKey: true,
    scope: 'templates:write',
    examples: ['postrider templates rollback welcome 3 --note "The new footer broke"'],
    inputs: [
      positional('id', 'id', 'Template id or slug.', true),
      {
        ...positional('version', 'version', 'The version to equal.', true),
        value: { kind: 'number', whole: true, min: 1, max: null },
      },
      flag(NOTE),
    ],
  },
];

function positional(name: string, valueName: string, description: string, required: boolean): InputDescription {
  return { ...flag({ name, valueName, description }), positional: true, required, flags: [] };
}

/** The place is the commands' own matter: nothing of it travels as it is given. */
function flag(input: Flag): InputDescription {
  const { name } = input;
  return {
    ...{ place: 'body', key: name, required: false, positional: false, flags: [`--${name}`], value: { kind: 'text' } },
    ...input,
  };
}
