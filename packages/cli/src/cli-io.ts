/** Where text goes; `process.stdout` and `process.stderr` are such sinks. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width of the terminal in columns. */
  readonly columns?: number;
  /** Its height. */
  readonly rows?: number;
  /** True where nobody reads any more. */
  readonly destroyed?: boolean;
  /** Where `write` answers false, the sink is full until its event `drain`. */
  once?(event: string, listener: () => void): unknown;
}

/** Where piped content comes from; `process.stdin` is such a source. */
export interface ByteSource extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean;
  /** Ends a read that is still waiting, which would keep the process alive. */
  destroy?(): unknown;
}

/** Everything of the process that a command touches. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly stdin: ByteSource;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory that relative paths start from. */
  readonly cwd: string;
  /** Aborted by SIGINT: ends requests, waits and reading from stdin. */
  readonly signal?: AbortSignal;
}
