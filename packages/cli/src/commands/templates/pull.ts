import { relative, resolve } from 'node:path';
import type { ApiConnection } from '../../api-connection.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { ownFailure } from '../../failure.ts';
import { isRecord, type JsonRecord, recordsOf, textOf } from '../../output/json-value.ts';
import { createProgress } from '../../output/progress.ts';
import { writeTemplateFiles } from '../../templates/template-files.ts';
import { FILES, flagInput, positionalInput } from '../../templates/template-inputs.ts';

const FOLDER = 'templates';

/** Writes templates to files in the form that `templates push` reads. */
export const definition = defineCommand({
  id: 'templates pull',
  about: {
    summary: 'Write templates to files',
    description: `Writes one template, or all templates of the account, to files that push can read. ${FILES} Files with the same name are overwritten.`,
    needsKey: true,
    scope: 'templates:read',
    examples: ['postrider templates pull', 'postrider templates pull welcome --dir mail'],
    inputs: [
      positionalInput('id', 'id', 'Template id or slug; default: all templates.', false),
      flagInput({ name: 'dir', valueName: 'path', description: 'Folder to write to; `templates` by default.' }),
    ],
  },
  async run({ values, options }, connection, output, io) {
    const folder = resolve(io.cwd, textOf(values['dir']) || FOLDER);
    const given = values['id'];
    const { total, pages } = typeof given === 'string' ? one(given, connection) : await all(connection);
    const progress = createProgress(io, options, total);
    const written: string[] = [];
    let done = 0;
    try {
      for await (const template of pages) {
        progress.show(done, textOf(template['slug']));
        written.push(...(await write(folder, template)));
        done += 1;
      }
    } finally {
      progress.end();
    }
    if (output.isJson) output.writeJson({ folder, files: written });
    else output.writeText(written.map((file) => `${relative(io.cwd, resolve(folder, file))}\n`).join(''));
    output.remark(`${done} template${done === 1 ? '' : 's'} written to ${folder}.`);
    return EXIT_CODES.done;
  },
});

interface Source {
  readonly total: number;
  readonly pages: AsyncIterable<JsonRecord>;
}

function one(id: string, connection: ApiConnection): Source {
  async function* read() {
    const { data } = await connection.call('templates.get', { params: { id } });
    if (isRecord(data)) yield data;
  }
  return { total: 1, pages: read() };
}

/** Reads the first page immediately, because it has the total. */
async function all(connection: ApiConnection): Promise<Source> {
  const readPage = async (cursor: string | null) => {
    const query = cursor === null ? {} : { cursor };
    return (await connection.call('templates.list', { query })).record;
  };
  const first = await readPage(null);
  async function* read() {
    for (let page = first; ; ) {
      yield* recordsOf(page.templates);
      const next = page.nextCursor;
      if (typeof next !== 'string') return;
      page = await readPage(next);
    }
  }
  return { total: Number(first['total'] ?? 0), pages: read() };
}

async function write(folder: string, template: JsonRecord): Promise<readonly string[]> {
  try {
    return await writeTemplateFiles(folder, template);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw ownFailure(
      EXIT_CODES.unexpected,
      'unexpected',
      'A file could not be written',
      `${folder}: ${reason}`,
      'Make the folder writable, or choose another with --dir.',
    );
  }
}
