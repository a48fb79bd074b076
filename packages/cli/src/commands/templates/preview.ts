import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ApiConnection } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import { readContent } from '../../content-argument.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { usageFailure } from '../../failure.ts';
import { isRecord, type JsonRecord, textOf } from '../../output/json-value.ts';
import { showRenderedTemplate } from '../../output/views/rendered-template.ts';
import { type LocalTemplate, readTemplateFiles } from '../../templates/template-files.ts';
import { FILES, flagInput, positionalInput } from '../../templates/template-inputs.ts';

/** Renders files on the server before they are stored. */
export const definition = defineCommand({
  id: 'templates preview',
  about: {
    summary: 'Render template files without storing them',
    description: `Renders the files of one template on the server with sample values, so that you can check a change before you push it. ${FILES} The template need not exist yet.`,
    needsKey: true,
    scope: 'templates:read',
    examples: [
      `postrider templates preview templates/welcome.html --variables '{"name":"Ada"}'`,
      'postrider templates preview templates/welcome.html --variables @sample.json --out preview.html',
    ],
    inputs: [
      positionalInput('path', 'path', 'A file of the template.', true),
      flagInput({
        name: 'variables',
        valueName: 'json',
        description: 'Sample values as JSON, or @file, or - for stdin.',
      }),
      flagInput({ name: 'out', valueName: 'path', description: 'Write the rendered HTML to this file.' }),
    ],
  },
  async run({ values }, connection, output, io) {
    const path = textOf(values['path']);
    const [template, ...others] = await readTemplateFiles(path, io.cwd);
    if (template === undefined || others.length > 0) {
      throw usageFailure(
        `${path} contains ${others.length + 1} templates`,
        'Pass one file of the template to preview.',
      );
    }
    const variables = await readVariables(values['variables'], io);
    const rendered = await render(template, variables, connection);
    const { out } = values;
    if (typeof out === 'string') {
      await writeFile(resolve(io.cwd, out), textOf(rendered['html']));
      output.remark(`Wrote the HTML to ${out}.`);
    }
    if (output.isJson) output.writeJson(rendered);
    else showRenderedTemplate(rendered, output);
    return EXIT_CODES.done;
  },
});

async function readVariables(given: unknown, io: CliIo): Promise<JsonRecord> {
  if (typeof given !== 'string') return {};
  const content = await readContent('--variables', given, io);
  try {
    const variables: unknown = JSON.parse(content);
    if (isRecord(variables)) return variables;
  } catch {
    // Reported like JSON that is not an object.
  }
  throw usageFailure('--variables is not a JSON object', `Pass it as '{"name":"Ada"}', or @file.`);
}

async function render(
  { subject, html, text }: LocalTemplate,
  variables: JsonRecord,
  connection: ApiConnection,
): Promise<JsonRecord> {
  const body = { variables, subject, html, text };
  const { data } = await connection.callCommand('templates.preview', { params: {}, query: {}, headers: {}, body });
  return isRecord(data) ? data : {};
}
