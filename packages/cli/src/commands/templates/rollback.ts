import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { renderResult } from '../../output/render-result.ts';
import { flagInput, NOTE, positionalInput } from '../../templates/template-inputs.ts';

/** Creates a version that equals an earlier one. */
export const definition = defineCommand({
  id: 'templates rollback',
  about: {
    summary: 'Go back to an earlier version',
    description: 'Creates a new version that equals an earlier one. The versions in between stay in the history.',
    needsKey: true,
    scope: 'templates:write',
    examples: ['postrider templates rollback welcome 3 --note "The new footer broke"'],
    inputs: [
      positionalInput('id', 'id', 'Template id or slug.', true),
      {
        ...positionalInput('version', 'version', 'Version to restore.', true),
        value: { kind: 'number', whole: true, min: 1, max: null },
      },
      flagInput(NOTE),
    ],
  },
  async run({ values }, connection, output) {
    const { id, version, note } = values;
    const body = { rollbackTo: version, ...(note === undefined ? {} : { note }) };
    const { data } = await connection.callCommand('templates.update', { params: { id }, query: {}, headers: {}, body });
    if (output.isJson) output.writeJson(data);
    else await renderResult('templates.update', data, output, new Date());
    return EXIT_CODES.done;
  },
});
