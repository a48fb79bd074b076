import type { TextSink } from '../cli-io.ts';

/**
 * Writes a text and waits until the reader accepts more, so that a large output does not fill the memory. False if the reader has closed the
 * pipe (`| head`).
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

/** Read again after the wait, because it may have changed. */
function isDestroyed({ destroyed }: TextSink): boolean {
  return destroyed === true;
}
