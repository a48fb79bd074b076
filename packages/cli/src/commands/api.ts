import { readContent } from '../content-argument.ts';
import { defineCommand } from '../define-command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { usageFailure } from '../failure.ts';
import { severalLines, singleLine } from '../output/untrusted-text.ts';
import { formArgument, switchFlag, textFlag, textsFlag, wordArgument } from '../own-flag.ts';

/** Sends one request and prints its response. */
export const definition = defineCommand({
  id: 'api',
  about: {
    summary: 'Call the API by method and path',
    description:
      'Sends one request with the key and prints the response, JSON unchanged. The path begins with `/` and may include a query. Errors are reported as by every other command, with the same exit codes. Without `--data`, the request has no body. A POST is retried after a lost connection only if it has an idempotency key.',
    needsKey: false,
    scope: null,
    examples: [
      'postrider api GET /account',
      "postrider api GET '/emails?limit=2&tag=order'",
      `postrider api POST /suppressions --data '{"email":"ada@example.com"}'`,
      'postrider api POST /emails --data @message.json --idempotency-key order-1042',
    ],
  },
  flags: {
    data: textFlag('-d, --data <json>', 'Request body as JSON; @file reads a file, - reads stdin.'),
    header: textsFlag('-H, --header <header>', 'Additional request header, as "Name: value". Repeatable.'),
    idempotencyKey: textFlag(
      '--idempotency-key <key>',
      'Makes it safe to repeat the request, if the operation accepts one.',
    ),
    include: switchFlag('-i, --include', 'Print the status and the headers to stderr before the response.'),
  },
  args: {
    method: wordArgument(['GET', 'POST', 'PATCH', 'DELETE'], 'upper'),
    path: formArgument('Path on the server, such as /account.', {
      // With two slashes it would name another host.
      pattern: /^\/(?!\/)/,
      fix: 'Use a path that begins with one /, such as /account.',
    }),
  },
  async run({ own: { method, path, data: body, header = [], idempotencyKey, include } }, connection, output, io) {
    const { status, headers, data } = await connection.request({
      method,
      path,
      headers: readHeaders(header),
      body: body === undefined ? undefined : parseBody(await readContent('--data', body, io)),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    if (include === true) {
      const lines = Object.entries(headers).map(([name, value]) => singleLine(`${name}: ${value}`));
      io.stderr.write(`${[`HTTP ${status}`, ...lines].join('\n')}\n\n`);
    }
    // Files are printed as they are; every other response is JSON.
    if (typeof data === 'string') output.writeText(output.width === null ? data : `${severalLines(data).trimEnd()}\n`);
    else if (data !== null) output.writeJson(data);
    return EXIT_CODES.done;
  },
});

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageFailure('--data is not JSON', 'Pass JSON in shell quotes, @file, or - for stdin.');
  }
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      if (at < 1) throw usageFailure(`--header ${line} has no name`, 'Use the form "Name: value".');
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}
