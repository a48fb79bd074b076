/** Work on plain data that can run in a thread or on the event loop: an exported constant, so that a thread can import it. */
export interface ThreadJob<Input, Output> {
  /** The URL of that module. */
  readonly module: string;
  /** The name of its export. */
  readonly name: string;
  /** Input and output are cloned between threads, so a `Buffer` becomes a plain `Uint8Array`. */
  readonly run: (input: Input) => Output | Promise<Output>;
}

/** @param module `import.meta.url` of the module that exports it as `name` */
export function threadJob<Input, Output>(
  module: string,
  name: string,
  run: ThreadJob<Input, Output>['run'],
): ThreadJob<Input, Output> {
  return { module, name, run };
}

/** A job in the form that is sent to a thread. */
export interface SentJob {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
}

/** The reply of a thread. */
export type JobReply =
  | { readonly ok: true; readonly output: unknown }
  /** The job failed, which is an internal error: problems with an input belong in the output. */
  | { readonly ok: false; readonly error: string };
