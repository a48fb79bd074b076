import path from 'node:path';
import { type AnyOperation, type CallableOperation, OPERATIONS } from '@postrider/core';
import { listFiles } from '../list-files.ts';
import { ROOT } from '../run-program.ts';
import { createOpenApiDocument } from './openapi-document.ts';
import { TYPESCRIPT_NOTICE } from './product.ts';
import { describeCall } from './sdk-calls.ts';

const FOLDER = path.join(ROOT, 'packages/cli/src/output/views');

/** The record that an operation returns; null if the contract does not name it. */
interface Answered {
  readonly id: string;
  readonly record: string | null;
}

/** The SDK's record types by name, and for each operation the file with the view of its record. */
export async function cliViewFiles(): Promise<Record<string, string>> {
  const answers = OPERATIONS.filter(isCalled).map(describeAnswer);
  const names = [...new Set(answers.flatMap(({ record }) => record ?? []))].toSorted();
  return {
    'packages/cli/src/generated/records.ts': recordsSource(names),
    'packages/cli/src/generated/view-files.ts': viewFilesSource(answers, await readViews(names)),
  };
}

const DOCUMENT = createOpenApiDocument('');

function isCalled(operation: AnyOperation): operation is CallableOperation {
  return operation.response !== 'raw' && operation.cli !== null;
}

function describeAnswer(operation: CallableOperation): Answered {
  const { output } = describeCall(operation, DOCUMENT);
  return { id: operation.id, record: output.kind === 'model' ? output.name : null };
}

/** The view files by the records they show. */
async function readViews(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const file of listFiles(FOLDER)) {
    const { VIEWS = [] }: { VIEWS?: readonly { readonly records: readonly string[] }[] } = await import(
      path.join(FOLDER, file)
    );
    for (const record of VIEWS.flatMap(({ records }) => records)) {
      if (!names.includes(record)) throw new Error(`views/${file}: no command answers ${record}`);
      if (found.has(record)) throw new Error(`views/${file}: ${found.get(record)} shows ${record} too`);
      found.set(record, file);
    }
  }
  return found;
}

function recordsSource(names: readonly string[]): string {
  return [
    TYPESCRIPT_NOTICE,
    'import type {',
    ...names.map((name) => `  ${name},`),
    "} from '@postrider/sdk';",
    '',
    'export interface Records {',
    ...names.map((name) => `  readonly ${name}: ${name};`),
    '}',
    '',
  ].join('\n');
}

function viewFilesSource(answers: readonly Answered[], views: ReadonlyMap<string, string>): string {
  const lines = answers.flatMap(({ id, record }) => {
    const file = record === null ? undefined : views.get(record);
    const specifier = `../output/views/${file}`;
    return file === undefined
      ? []
      : [`  '${id}': { record: '${record}', load: async () => (await import('${specifier}')).VIEWS },`];
  });
  return [
    TYPESCRIPT_NOTICE,
    "import type { RecordView } from '../output/view.ts';",
    '',
    'export interface ViewFile {',
    '  readonly record: string;',
    '  readonly load: () => Promise<readonly RecordView[]>;',
    '}',
    '',
    'export const VIEW_FILES: Readonly<Record<string, ViewFile | undefined>> = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}
