import type { TextSink } from '../cli-io.ts';

/**
 * Writes a text and waits until its reader has room again, so that a large output does not pile up in memory. False where there is no reader
 * any more (`| head`): then there is nothing left to do.
 */
export async function writeAndDrain(sink: TextSink, text: string): Promise<boolean> {
  if (sink.destroyed === true) return false;
  if (sink.write(text) !== false) return true;
  await new Promise<void>((resolve) => {
    if (sink.once === undefined) resolve();
    for (const event of ['drain', 'error', 'close']) sink.once?.(event, () => resolve());
  });
  return !isDestroyed(sink);
}

/** Asked anew: while it was waited for, it can have become so. */
function isDestroyed({ destroyed }: TextSink): boolean {
  return destroyed === true;
}
