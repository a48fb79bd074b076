import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ApiConnection } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import { readContent } from '../../content-argument.ts';
import { EXIT_CODES, type ExitCode } from '../../exit-codes.ts';
import { CliFailure, usageFailure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { isRecord, type JsonRecord, textOf } from '../../output/json-value.ts';
import type { Output } from '../../output/output.ts';
import { renderAnswer } from '../../output/render-answer.ts';
import { type LocalTemplate, readTemplateFiles } from './template-files.ts';

/** Has the server render files that are not stored yet. */
export async function runPreview(
  { values }: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const path = textOf(values['path']);
  const [template, ...others] = await readTemplateFiles(path, io.cwd);
  if (template === undefined || others.length > 0) {
    throw usageFailure(`${path} holds ${others.length + 1} templates`, 'Name one file of the template to preview.');
  }
  const variables = await readVariables(values['variables'], io);
  const rendered = await render(template, variables, connection);
  const { out } = values;
  if (typeof out === 'string') {
    await writeFile(resolve(io.cwd, out), textOf(rendered['html']));
    output.remark(`The html is in ${out}.`);
  }
  if (output.isJson) output.writeJson(rendered);
  else renderAnswer('templates.render', rendered, output, new Date());
  return EXIT_CODES.done;
}

async function readVariables(given: unknown, io: CliIo): Promise<JsonRecord> {
  if (typeof given !== 'string') return {};
  const content = await readContent('--variables', given, io);
  try {
    const variables: unknown = JSON.parse(content);
    if (isRecord(variables)) return variables;
  } catch {
    // The same as JSON that is no object.
  }
  throw usageFailure('--variables is no JSON object', `Give it as '{"name":"Ada"}', or @file.`);
}

async function render(
  { slug, subject, html, text }: LocalTemplate,
  variables: JsonRecord,
  connection: ApiConnection,
): Promise<JsonRecord> {
  const body = { variables, subject, html, text };
  try {
    const { data } = await connection.call('templates.render', { params: { id: slug }, query: {}, headers: {}, body });
    return isRecord(data) ? data : {};
  } catch (error) {
    if (!(error instanceof CliFailure) || error.problem.code !== 'not_found') throw error;
    const fix = `Store it first: postrider templates push ${slug}.html`;
    throw new CliFailure(error.exitCode, { ...error.problem, fix });
  }
}
