/** Work on plain data that a thread can do as well as the event loop: a constant that its own module exports, so that a thread can import it. */
export interface ThreadJob<Input, Output> {
  /** The address of that module. */
  readonly module: string;
  /** The name it is exported under. */
  readonly name: string;
  /** Input and output are cloned on the way to a thread and back, so a `Buffer` arrives as a plain `Uint8Array`. */
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

/** A job as it travels to a thread. */
export interface SentJob {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a thread replies. */
export type JobReply =
  | { readonly ok: true; readonly output: unknown }
  /** The job failed, which is a fault of ours: what is wrong with an input belongs into the output. */
  | { readonly ok: false; readonly error: string };
