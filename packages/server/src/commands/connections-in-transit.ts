import type { ChildProcess } from 'node:child_process';

/** The messages of node:cluster. `ack` names the `seq` of the message that it replies to. */
interface ClusterMessage {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

/**
 * Closes the connections that were sent to a process and that it had not accepted when it died. node:cluster (Node 26) waits forever for
 * its reply, and the clients of these connections would wait too.
 */
export function closeConnectionsInTransit(child: ChildProcess): void {
  // It was not started, and may have no channel.
  if (child.pid === undefined) return;
  const inTransit = new Map<unknown, { close(): void }>();
  const send: ChildProcess['send'] = child.send.bind(child);
  child.send = (...words: unknown[]) => {
    const [message, handle] = words as [ClusterMessage, unknown];
    if (message.act === 'newconn' && isClosable(handle)) inTransit.set(message.seq, handle);
    return (send as (...words: unknown[]) => boolean)(...words);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => inTransit.delete(ack));
  child.once('exit', () => {
    for (const handle of inTransit.values()) handle.close();
    inTransit.clear();
  });
}

function isClosable(handle: unknown): handle is { close(): void } {
  return handle instanceof Object && 'close' in handle && typeof handle.close === 'function';
}
