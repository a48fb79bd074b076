import { LIMITS, type TicketStatus } from '@postrider/core';

interface Thread {
  readonly status: string;
  readonly messages: number;
  readonly characters: number;
}

type ReplyVerdict =
  | { readonly ok: true; readonly status: TicketStatus }
  | { readonly ok: false; readonly code: 'ticket_closed' | 'thread_full'; readonly message: string };

/** Whether the account may add a message to a thread, and the new status of the ticket. */
export function judgeReply(thread: Thread, characters: number): ReplyVerdict {
  if (thread.status === 'closed') {
    return { ok: false, code: 'ticket_closed', message: 'names a ticket that is closed and accepts no more replies' };
  }
  const isFull = thread.messages >= LIMITS.ticketMessages || thread.characters + characters > LIMITS.ticketCharacters;
  if (isFull) {
    const bounds = `${LIMITS.ticketMessages} messages, or ${LIMITS.ticketCharacters} characters in total`;
    return { ok: false, code: 'thread_full', message: `names a ticket whose thread is full (${bounds})` };
  }
  return { ok: true, status: 'open' };
}
