import type { ApiConnection } from '../../api-connection.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { CliFailure } from '../../failure.ts';
import { isRecord, type JsonRecord, textOf } from '../../output/json-value.ts';
import type { Output } from '../../output/output.ts';
import { createProgress } from '../../output/progress.ts';
import { renderTable } from '../../output/table.ts';
import { singleLine } from '../../output/untrusted-text.ts';
import { type LocalTemplate, readTemplateFiles } from '../../templates/template-files.ts';
import { FILES, flagInput, NOTE, positionalInput } from '../../templates/template-inputs.ts';

interface Pushed {
  readonly slug: string;
  /** `drafted`: stored for an approver to publish; sends do not use it yet. */
  readonly result: 'created' | 'changed' | 'drafted' | 'unchanged';
  /** The version on the server; null if nothing is stored yet. */
  readonly version: number | null;
}

/** Updates the server to match the files. */
export const definition = defineCommand({
  id: 'templates push',
  about: {
    summary: 'Store templates from files',
    description: `Updates the server to match the files: new templates are created, changed ones get a new version, and equal ones stay unchanged. ${FILES} A body without a file is removed from its template. Templates without files stay unchanged. All files are read before anything is stored.`,
    needsKey: true,
    scope: 'templates:write',
    examples: [
      'postrider templates push templates/',
      'postrider templates push templates/welcome.html --note "New footer"',
    ],
    inputs: [
      positionalInput('path', 'path', 'A folder, or one file of a template.', true),
      flagInput(NOTE),
      flagInput({
        name: 'check',
        valueName: '',
        description: 'Show what would change, and store nothing.',
        value: { kind: 'boolean' },
      }),
    ],
  },
  async run({ values, options }, connection, output, io) {
    const templates = await readTemplateFiles(textOf(values['path']), io.cwd);
    const how = { note: values['note'], isCheck: values['check'] === true };
    const progress = createProgress(io, options, templates.length);
    const pushed: Pushed[] = [];
    try {
      for (const template of templates) {
        progress.show(pushed.length, template.slug);
        pushed.push(await pushTemplate(template, how, connection));
      }
    } catch (error) {
      throw inTemplate(error, templates[pushed.length]?.slug ?? '', pushed.length);
    } finally {
      progress.end();
    }
    if (output.isJson) output.writeJson({ templates: pushed });
    else showPushed(pushed, output);
    if (pushed.some(({ result }) => result === 'drafted')) {
      output.remark('Sends use a draft only after an approver publishes it with `postrider templates publish <slug>`.');
    }
    if (how.isCheck) output.remark('Nothing was stored. This is what a push without --check would do.');
    return EXIT_CODES.done;
  },
});

async function pushTemplate(
  template: LocalTemplate,
  how: { readonly note: unknown; readonly isCheck: boolean },
  connection: ApiConnection,
): Promise<Pushed> {
  const { slug } = template;
  const stored = await readStored(slug, connection);
  const version = stored === null ? null : numberOf(stored['currentVersion']);
  const change =
    stored === null ? { slug, ...contentOf(template), name: template.name ?? slug } : changeOf(template, stored);
  if (Object.keys(change).length === 0) return { slug, result: 'unchanged', version };
  const result = stored === null ? 'created' : 'changed';
  if (how.isCheck) return { slug, result, version };
  const makesVersion = stored === null || ['subject', 'html', 'text'].some((part) => part in change);
  const body = { ...change, ...(makesVersion && how.note !== undefined ? { note: how.note } : {}) };
  const input = { params: stored === null ? {} : { id: slug }, query: {}, headers: {}, body };
  const { data } = await connection.callCommand(stored === null ? 'templates.create' : 'templates.update', input);
  if (!isRecord(data)) return { slug, result, version: null };
  if (data['status'] === 'draft') return { slug, result: 'drafted', version: numberOf(data['version']) };
  return { slug, result, version: numberOf(data['currentVersion']) };
}

async function readStored(slug: string, connection: ApiConnection): Promise<JsonRecord | null> {
  try {
    const { data } = await connection.call('templates.get', { params: { id: slug } });
    return isRecord(data) ? data : null;
  } catch (error) {
    if (error instanceof CliFailure && error.problem.code === 'not_found') return null;
    throw error;
  }
}

function contentOf({ subject, html, text }: LocalTemplate) {
  return { subject, html, text };
}

/** Only what differs: equal content must not create a version. */
function changeOf(template: LocalTemplate, stored: JsonRecord): JsonRecord {
  const wanted = { ...contentOf(template), ...(template.name === null ? {} : { name: template.name }) };
  // A template without a published version shows a draft of any author, so equal content still has to be sent.
  const isUnpublished = stored['currentVersion'] === null;
  const isOther = (name: string, value: unknown) => (isUnpublished && name !== 'name') || stored[name] !== value;
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => isOther(name, value)));
}

/** Null if the template has no published version. */
function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function showPushed(pushed: readonly Pushed[], output: Output): void {
  const columns = [
    { title: 'slug', cells: pushed.map(({ slug }) => slug) },
    { title: 'result', cells: pushed.map(({ result }) => result) },
    { title: 'version', cells: pushed.map(({ version }) => textOf(version)) },
  ];
  output.writeText(renderTable(columns, output.width, output.paint));
}

/** Adds the template that failed and the number that were stored before it. */
function inTemplate(error: unknown, slug: string, done: number): unknown {
  if (!(error instanceof CliFailure)) return error;
  const before = done === 0 ? '' : ` The ${done} before it were stored; another push leaves them unchanged.`;
  const detail = `${singleLine(slug)}: ${error.problem.detail}${before}`;
  return new CliFailure(error.exitCode, { ...error.problem, detail });
}
