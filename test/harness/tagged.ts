import type { Row } from 'postgres';
import type { Pool } from '../../packages/server/src/db/database-pool.ts';
import type {
  AccountSql,
  Query,
  Sql,
  Transaction,
  TransactionMode,
  TransactionWork,
} from '../../packages/server/src/db/query.ts';
import type { QueryResult, Run } from '../../packages/server/src/db/query-result.ts';

/** SQL in tests as tagged templates: each value is a parameter, except those that are templates themselves. */
interface Templates {
  <Rows extends readonly unknown[] = Row[]>(
    strings: TemplateStringsArray,
    ...values: readonly unknown[]
  ): Statement<Rows>;
  /** A quoted identifier. */
  (name: string): Statement<Row[]>;
  /** A statement or a fragment, as text. */
  unsafe<Rows extends readonly unknown[] = Row[]>(text: string, parameters?: readonly unknown[]): Statement<Rows>;
}

export interface TaggedQuery extends Query, Templates {}

export interface TaggedTransaction extends Transaction, Templates {
  until(signal: AbortSignal): TaggedQuery;
  savepoint<T>(work: TaggedWork<T>): Promise<T>;
}

type TaggedWork<T> = (transaction: TaggedTransaction) => T | Promise<T>;

export interface TaggedSql extends Sql, Templates {
  begin<T>(work: TaggedWork<T>): Promise<T>;
  begin<T>(mode: TransactionMode, work: TaggedWork<T>): Promise<T>;
}

export type TaggedPool = TaggedSql & Pool;
export type TaggedAccountSql = TaggedSql & AccountSql;

type Part = string | { readonly value: unknown };
type Sent<Rows extends readonly unknown[]> = Promise<Rows & QueryResult<Rows[number]>>;

/** Sent when its result is first awaited; never as a fragment of another statement. */
class Statement<Rows extends readonly unknown[]> implements Sent<Rows> {
  readonly [Symbol.toStringTag] = 'Statement';
  readonly parts: readonly Part[];
  readonly #send: () => Sent<Rows>;
  #sent: Sent<Rows> | null = null;

  constructor(parts: readonly Part[], send: () => Promise<unknown>) {
    this.parts = parts;
    this.#send = send as () => Sent<Rows>; // The caller declares what the statement returns.
  }

  /** Sends it without waiting for the result. */
  execute(): this {
    this.#sent ??= this.#send();
    return this;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and calling its own `then` sends it.
  then: Sent<Rows>['then'] = (onDone, onFailed) => {
    this.#sent ??= this.#send();
    return this.#sent.then(onDone, onFailed);
  };

  catch: Sent<Rows>['catch'] = (onFailed) => this.then(undefined, onFailed);

  finally: Sent<Rows>['finally'] = (onEnded) => this.then().finally(onEnded);
}

/** Adds the template tag to a client; its transactions have it too. */
export function tagged(pool: Pool): TaggedPool;
export function tagged(sql: AccountSql): TaggedAccountSql;
export function tagged(sql: Sql): TaggedSql;
export function tagged(query: Query): TaggedQuery;
export function tagged(own: Query | Sql): TaggedQuery {
  return withTemplates('begin' in own ? { ...own, begin: beginTagged(own) } : own);
}

function beginTagged(own: Sql) {
  return <T>(...given: [TaggedWork<T>] | [TransactionMode, TaggedWork<T>]): Promise<T> => {
    const [mode, work] = given.length === 1 ? [null, given[0]] : given;
    const onTagged: TransactionWork<T> = (transaction) => work(tagTransaction(transaction));
    return mode === null ? own.begin(onTagged) : own.begin(mode, onTagged);
  };
}

function tagTransaction(own: Transaction): TaggedTransaction {
  return withTemplates({
    ...own,
    until: (signal: AbortSignal) => withTemplates(own.until(signal)),
    savepoint: <T>(work: TaggedWork<T>) => own.savepoint((transaction) => work(tagTransaction(transaction))),
  });
}

function withTemplates<Own extends { readonly run: Run }>(own: Own): Own & Templates {
  const made = (parts: readonly Part[]) =>
    new Statement(parts, () => own.run(toText(parts), parts.flatMap(toParameter)));
  function tag(given: TemplateStringsArray | string, ...values: readonly unknown[]) {
    if (typeof given === 'string') return made([`"${given.replaceAll('"', '""')}"`]);
    return made(given.flatMap((text, at) => (at < values.length ? [text, ...toParts(values[at])] : [text])));
  }
  const unsafe = (text: string, parameters?: readonly unknown[]) =>
    new Statement([text], () => own.run(text, parameters));
  return Object.assign(tag, { ...own, unsafe }) as unknown as Own & Templates; // The overloads of `tag`.
}

function toParts(value: unknown): readonly Part[] {
  return value instanceof Statement ? value.parts : [{ value }];
}

function toText(parts: readonly Part[]): string {
  let count = 0;
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      count += 1;
      return `$${count}`;
    })
    .join('');
}

function toParameter(part: Part): readonly unknown[] {
  return typeof part === 'string' ? [] : [part.value];
}
