import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ClientInfo, readClientInfo } from '../auth/client-info.ts';
import type { Caller } from '../keys/caller.ts';
import type { CallContext, Services } from '../operations/context.ts';
import { prefersText } from './prefers-text.ts';

/**
 * The context of a REST call. A class, because V8 would describe each object literal with getters by a new hidden class in the old
 * generation. That would keep the whole request in memory until the next major collection.
 */
export class RestContext implements CallContext {
  readonly services: Services;
  readonly requestId: string;
  readonly via = 'rest';
  readonly address: string;
  readonly prefersText: boolean;
  readonly caller: Caller | null;
  readonly rawBody: unknown;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply, services: Services) {
    this.services = services;
    this.requestId = request.id;
    this.address = request.ip;
    this.prefersText = prefersText(request.headers.accept);
    this.caller = request.state.caller;
    this.rawBody = request.body;
    this.#request = request;
    this.#reply = reply;
  }

  /** Read only for sign-in and sign-out. */
  get clientInfo(): ClientInfo {
    const { auth, installation } = this.services;
    return readClientInfo(this.#request.headers, this.address, auth.cookies, installation.baseUrl);
  }

  /** Created only if something waits: most calls end before their client could disconnect. */
  get signal(): AbortSignal {
    return disconnectSignal(this.#reply);
  }

  /** Pages confirm; calls of the API do not. */
  async readConfirmed(): Promise<null> {
    return null;
  }

  noteEmail(id: string): void {
    this.#request.state.emailId = id;
  }
}

/** Aborts when the connection closes before the response was sent. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
