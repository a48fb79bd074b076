import type { CliIo, TextSink } from '../cli-io.ts';
import type { CliFailure, FailureProblem } from '../failure.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type JsonRecord, recordsOf, textOf } from './json-value.ts';
import { problemText } from './problem-text.ts';
import { inertJson, singleLine } from './untrusted-text.ts';

/** Reports an error on stderr, as one problem document or as sentences. */
export async function reportFailure(
  failure: CliFailure,
  form: Pick<GlobalOptions, 'hasJsonErrors'>,
  io: CliIo,
): Promise<void> {
  const { problem } = failure;
  const text = form.hasJsonErrors ? `${inertJson(JSON.stringify(problem))}\n` : await toSentences(problem, io.stderr);
  io.stderr.write(text);
}

async function toSentences(problem: FailureProblem, sink: TextSink): Promise<string> {
  const name = problem.status === null ? problem.code : `${problem.code}, ${problem.status}`;
  const lines = [
    `Error: ${problemText(problem.detail)} (${singleLine(name)})`,
    ...errorLines(problem),
    ...recordsOf(problem.recipients).map(
      (row) => `  ${fieldText(row, 'kind')} ${fieldText(row, 'email')}: ${fieldText(row, 'code')}`,
    ),
    problem.fix ? `Fix: ${problemText(problem.fix)}` : '',
    problem.requestId ? `Request: ${singleLine(textOf(problem.requestId))}` : '',
  ];
  const shown = lines.filter((line) => line !== '');
  if (sink.isTTY !== true) return shown.map((line) => `${line}\n`).join('');
  // Loaded late: the code that measures text loads slower than a usage error is found.
  const { wrapForTerminal } = await import('./wrap-text.ts');
  return shown.map((line) => wrapForTerminal(line, sink)).join('');
}

/** One line per error. A single one that the detail quotes is not repeated. The list is unvalidated, like the rest of the response. */
function errorLines({ detail, errors }: FailureProblem): readonly string[] {
  const rows = recordsOf(errors);
  const [first] = rows;
  if (rows.length === 1 && first !== undefined && textOf(detail).includes(`: ${textOf(first['message'])}`)) return [];
  return rows.map((row) => {
    const name = fieldText(row, 'flag') || fieldText(row, 'path');
    return `  ${name}: ${fieldText(row, 'message')} (${fieldText(row, 'code')})`;
  });
}

function fieldText(row: JsonRecord, name: string): string {
  return singleLine(textOf(row[name]));
}
