import { Readable } from 'node:stream';
import { type ByteSource, type CliIo, type CommandDescription, runCli } from '@postrider/cli';
import { type Reply, type ScriptedServer, startScriptedServer } from '../sdk/scripted-server.ts';

export const KEY = 'pr_live_0123456789abcdefghijABCDEFGHIJ';

export interface Terminal {
  /** Columns of the terminal; without it stdout and stderr are no terminals. */
  readonly columns?: number;
  /** Whether stderr is a terminal, where it differs from stdout. */
  readonly isErrTty?: boolean;
  readonly stdin?: string | Uint8Array | ReadableStream<string>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly commands?: readonly CommandDescription[];
  /** Hears what is written to stdout as it comes. */
  readonly onStdout?: (text: string) => void;
  /** The same of stderr. */
  readonly onStderr?: (text: string) => void;
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the CLI in this process, as in an empty environment and, unless said otherwise, off a terminal. */
export async function runInProcess(argv: readonly string[], terminal: Terminal = {}): Promise<Finished> {
  const stdout = capture(terminal.columns !== undefined, terminal.columns, terminal.onStdout);
  const stderr = capture(terminal.isErrTty ?? terminal.columns !== undefined, terminal.columns, terminal.onStderr);
  const io: CliIo = {
    stdout: stdout.sink,
    stderr: stderr.sink,
    stdin: sourceOf(terminal.stdin),
    env: terminal.env ?? {},
    cwd: terminal.cwd ?? import.meta.dirname,
    ...(terminal.signal === undefined ? {} : { signal: terminal.signal }),
  };
  const code = await runCli(argv, io, terminal.commands);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** Runs the CLI with a key against a server that returns these responses in order. */
export async function runAgainst(
  replies: readonly Reply[],
  argv: readonly string[],
  terminal: Terminal = {},
): Promise<Finished & Pick<ScriptedServer, 'received'>> {
  await using server = await startScriptedServer(replies);
  const env = { POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: server.baseUrl, ...terminal.env };
  return { ...(await runInProcess(argv, { ...terminal, env })), received: server.received };
}

function sourceOf(stdin: Terminal['stdin']): ByteSource {
  return stdin instanceof ReadableStream ? stdin : Readable.from(stdin === undefined ? [] : [stdin]);
}

function capture(isTTY: boolean, columns: number | undefined, onWrite?: (text: string) => void) {
  let written = '';
  const sink = {
    write: (text: string) => {
      written += text;
      onWrite?.(text);
    },
    isTTY,
    ...(columns === undefined ? {} : { columns }),
  };
  return { sink, text: () => written };
}
