/** Where text is written; `process.stdout` and `process.stderr` are such sinks. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width of the terminal in columns. */
  readonly columns?: number;
  /** Height of the terminal in rows. */
  readonly rows?: number;
  /** True if the reader has closed the stream. */
  readonly destroyed?: boolean;
  /** If `write` returns false, the sink is full until its event `drain`. */
  once?(event: string, listener: () => void): unknown;
}

/** Where piped content is read from; `process.stdin` is such a source. */
export interface ByteSource extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean;
  /** Ends a pending read, which would keep the process alive. */
  destroy?(): unknown;
}

/** Everything of the process that a command uses. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly stdin: ByteSource;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths. */
  readonly cwd: string;
  /** Aborted by SIGINT: ends requests, waits and reading from stdin. */
  readonly signal?: AbortSignal;
}
