import type { MessageStatus } from '@postrider/core';
import type { Sql } from '../db/client.ts';
import { readStatuses } from '../db/queries/read-messages.ts';

/** Lets callers wait until a message is settled, whichever process delivers it. */
export interface MessageWaiter {
  /** Resolves when the message is settled, the time is over or the caller has disconnected. Never rejects. */
  wait(
    accountId: string,
    id: string,
    timeoutMs: number,
    signal: AbortSignal,
    /** Whether this status ends the wait. By default, when it is settled. */
    isOver?: (status: MessageStatus) => boolean,
  ): Promise<void>;
  /** A change in this process, which saves its own waiters until the next poll. */
  notify(messages: readonly { readonly id: string; readonly status: MessageStatus }[]): void;
  /** Ends every wait, for a shutdown. */
  close(): void;
}

/** One query serves all waiters, so its cost does not grow with them. */
const LOOK_EVERY_MS = 100;

interface Waiter {
  readonly accountId: string;
  readonly id: string;
  readonly isOver: (status: MessageStatus) => boolean;
  readonly finish: () => void;
}

/** @param isSettled the default for when a wait is over */
export function createMessageWaiter(sql: Sql, isSettled: (status: MessageStatus) => boolean): MessageWaiter {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | null = null;
  let looking = false;
  let closed = false;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      const rows = await readStatuses(sql, [...waiters]);
      // The column contains the statuses of message-status.ts.
      finishSettled(rows.map(({ id, status }) => ({ id, status: status as MessageStatus })));
    } catch {
      // If the database is unavailable, the next poll retries; each wait has its own timeout.
    } finally {
      looking = false;
    }
  }

  function finishSettled(messages: readonly { readonly id: string; readonly status: MessageStatus }[]): void {
    const statuses = new Map(messages.map(({ id, status }) => [id, status]));
    for (const waiter of waiters) {
      const status = statuses.get(waiter.id);
      if (status !== undefined && waiter.isOver(status)) waiter.finish();
    }
  }

  function keepLooking(): void {
    if (waiters.size > 0) timer ??= setInterval(() => void look(), LOOK_EVERY_MS);
    else if (timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  }

  return {
    wait: (accountId, id, timeoutMs, signal, isOver = isSettled) =>
      new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timeout);
          signal.removeEventListener('abort', finish);
          waiters.delete(waiter);
          keepLooking();
          resolve();
        };
        const waiter: Waiter = { accountId, id, isOver, finish };
        const timeout = setTimeout(finish, timeoutMs);
        signal.addEventListener('abort', finish);
        waiters.add(waiter);
        if (signal.aborted || closed) finish();
        else keepLooking();
      }),
    notify: finishSettled,
    close: () => {
      closed = true;
      for (const waiter of waiters) waiter.finish();
    },
  };
}
