import {
  type CallableId,
  type ErrorCode,
  findOperation,
  type OperationById,
  type OperationOutput,
  type OperationRequest,
  type PlacedInput,
  type Problem,
  refusedKind,
} from '@postrider/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readClientInfo } from '../../auth/client-info.ts';
import { ConfirmationNeeded, type Confirmed, readConfirmation } from '../../auth/passkeys/confirmation.ts';
import { relyingPartyOf } from '../../auth/passkeys/relying-party.ts';
import { readConfirmationForm } from '../../auth/passkeys/web/confirmation-form.ts';
import { callerFactsOf } from '../../http/assert-reach.ts';
import { executeOperation } from '../../http/execute-operation.ts';
import { readQueryPairs } from '../../http/query-string.ts';
import { disconnectSignal } from '../../http/rest-context.ts';
import type { Caller, User } from '../../keys/caller.ts';
import type { CallContext, Services } from '../../operations/context.ts';
import { ProblemError, toProblem } from '../../problem.ts';
import { inConsoleWords } from './operation-places.ts';
import { PageForm } from './page-form.ts';

/**
 * The input of an operation by place; what is left out is empty. Query parameters may be strings of the page's own address: the operation
 * checks them.
 */
type Given<Id extends CallableId> = Partial<Omit<Request<Id>, 'query'>> & {
  readonly query?:
    | Request<Id>['query']
    | { readonly [Name in keyof Request<Id>['query']]?: string | readonly string[] };
};

type Request<Id extends CallableId> = OperationRequest<OperationById<Id>>;

/** What an operation returns as data. */
type Body<Id extends CallableId> = Exclude<OperationOutput<OperationById<Id>>, string>;

export type Attempt<Id extends CallableId> =
  | { readonly ok: true; readonly body: Body<Id> }
  | { readonly ok: false; readonly problem: Problem };

export interface PageRequestParts {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly services: Services;
  readonly caller: Caller & { readonly user: User };
}

/**
 * A request of a signed-in user for a page. Pages read and change data by calling operations, as every other surface does, so a page can show
 * and do exactly what the user's role allows.
 */
export class PageRequest {
  readonly caller: Caller & { readonly user: User };
  readonly services: Services;
  readonly params: Readonly<Record<string, string>>;
  /** The query of the page. */
  readonly query: PageForm;
  /** The fields of the form, for POST. */
  readonly form: PageForm;
  readonly now: Date;
  readonly path: string;
  readonly #parts: PageRequestParts;
  /** Read once: its challenge is then used up. */
  #confirmed: Promise<Confirmed | null> | undefined;

  constructor(parts: PageRequestParts) {
    const { request, services, caller } = parts;
    this.#parts = parts;
    this.caller = caller;
    this.services = services;
    this.params = request.params as Readonly<Record<string, string>>; // Fastify parses parameters into strings.
    const [path = '', query = ''] = splitOnce(request.url, '?');
    this.path = path;
    this.query = new PageForm(readQueryPairs(query));
    this.form = request.body instanceof PageForm ? request.body : new PageForm([]);
    this.now = services.database.clock.now();
  }

  /** The address of the page with its query. */
  get url(): string {
    return this.#parts.request.url;
  }

  /** The host name that passkeys of this server are bound to; null if it can have none. */
  get passkeyHost(): string | null {
    return relyingPartyOf(this.services.installation.baseUrl)?.id ?? null;
  }

  get requestId(): string {
    return this.#parts.request.id;
  }

  get mode(): 'development' | 'production' {
    return this.services.installation.mode;
  }

  /** The cookie of this name; null without one. */
  cookie(name: string): string | null {
    return this.#clientInfo().cookie(name);
  }

  /** A parameter of the page's path. */
  param(name: string): string {
    return this.params[name] ?? '';
  }

  /**
   * Calls an operation as the user.
   * @throws ProblemError what the operation refuses; the console then shows a page that says why.
   */
  async call<Id extends CallableId>(id: Id, given: Given<Id> = {}): Promise<Body<Id>> {
    const { params = {}, query = {}, headers = {}, body } = given as Partial<PlacedInput>;
    const input: PlacedInput = { params, query, headers, body };
    const { body: result } = await executeOperation(findOperation(id), input, this.#context(body));
    return result as Body<Id>; // The handler of this id returns this type.
  }

  /**
   * Calls an operation whose refusal the page itself shows, such as that of a form.
   * @param codes the refusals that the page shows; all if left out. One that a passkey can lift leads to the page that asks for the passkey.
   */
  async attempt<Id extends CallableId>(
    id: Id,
    given: Given<Id> = {},
    codes?: readonly ErrorCode[],
  ): Promise<Attempt<Id>> {
    try {
      return { ok: true, body: await this.call(id, given) };
    } catch (error) {
      if (!(error instanceof ProblemError) || codes?.includes(error.code) === false) throw error;
      if (error instanceof ConfirmationNeeded && error.statement !== null) throw error;
      return { ok: false, problem: this.problemOf(error) };
    }
  }

  /** A refusal as the console words it: fixes name pages instead of methods and paths. */
  problemOf(error: ProblemError): Problem {
    const problem = toProblem(error, this.services.installation.baseUrl, this.requestId);
    return { ...problem, detail: inConsoleWords(problem.detail), fix: inConsoleWords(problem.fix) };
  }

  /** A text of the API as the console words it. */
  inWords(text: string): string {
    return inConsoleWords(text);
  }

  /** Whether the user's role may call an operation. Pages leave out what it may not. */
  may(id: CallableId): boolean {
    const operation = findOperation(id);
    const { access } = operation;
    if (access.kind !== 'key') return true;
    if (
      'users' in access &&
      (access.users === 'none' || (access.users === 'owners' && this.caller.user.role !== 'owner'))
    )
      return false;
    if (access.scope !== null && !this.caller.scopes.includes(access.scope)) return false;
    return refusedKind(operation, callerFactsOf(this.caller)) === null;
  }

  #clientInfo() {
    const { request, services } = this.#parts;
    return readClientInfo(request.headers, request.ip, services.auth.cookies, services.installation.baseUrl);
  }

  async #readConfirmed(): Promise<Confirmed | null> {
    const given = readConfirmationForm(this.form);
    const { auth, installation } = this.services;
    const party = relyingPartyOf(installation.baseUrl);
    if (given === null || party === null) return null;
    return await readConfirmation({ auth, party }, this.caller.user.userId, given);
  }

  #context(rawBody: unknown): CallContext {
    const { request, reply, services, caller } = this.#parts;
    return {
      ...{ services, requestId: request.id, via: 'rest', address: request.ip, prefersText: false, caller, rawBody },
      clientInfo: this.#clientInfo(),
      readConfirmed: () => (this.#confirmed ??= this.#readConfirmed()),
      signal: disconnectSignal(reply),
      noteEmail: (id) => {
        request.state.emailId = id;
      },
    };
  }
}

function splitOnce(text: string, at: string): readonly string[] {
  const index = text.indexOf(at);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
