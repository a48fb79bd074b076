import type { ApiConnection } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import { readContent } from '../../content-argument.ts';
import { EXIT_CODES, type ExitCode } from '../../exit-codes.ts';
import { usageFailure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import type { Output } from '../../output/output.ts';
import { severalLines, singleLine } from '../../output/untrusted-text.ts';

/** Makes one request and prints its answer. */
export async function runApi(
  { ownFlags, ownArguments }: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const [method = '', path = ''] = ownArguments;
  const { status, headers, data } = await connection.request({
    method: method.toUpperCase(),
    path,
    headers: readHeaders(ownFlags['header']),
    body:
      typeof ownFlags['data'] === 'string' ? parseBody(await readContent('--data', ownFlags['data'], io)) : undefined,
    ...(typeof ownFlags['idempotencyKey'] === 'string' ? { idempotencyKey: ownFlags['idempotencyKey'] } : {}),
  });
  if (ownFlags['include'] === true) {
    const lines = Object.entries(headers).map(([name, value]) => singleLine(`${name}: ${value}`));
    io.stderr.write(`${[`HTTP ${status}`, ...lines].join('\n')}\n\n`);
  }
  // A file is itself; everything else of the API is JSON.
  if (typeof data === 'string') output.writeText(output.width === null ? data : `${severalLines(data).trimEnd()}\n`);
  else if (data !== null) output.writeJson(data);
  return EXIT_CODES.done;
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageFailure('--data is not JSON', 'Give JSON in quotes of the shell, @file, or - for stdin.');
  }
}

function readHeaders(given: unknown): Record<string, string> {
  const lines = Array.isArray(given) ? given.map(String) : [];
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      if (at < 1) throw usageFailure(`--header ${line} has no name`, 'Give it as "Name: value".');
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}
