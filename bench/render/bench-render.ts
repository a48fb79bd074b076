import { bindAccount } from '../../packages/server/src/db/account-client.ts';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { storeTemplate } from '../../packages/server/src/templates/change-template.ts';
import {
  createTemplateRenderer,
  type TemplateRenderer,
} from '../../packages/server/src/templates/template-renderer.ts';
import { createTemplateSources, type TemplateSources } from '../../packages/server/src/templates/template-sources.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type TaggedPool, type TaggedSql, tagged } from '../../test/harness/tagged.ts';
import { openBenchDatabase } from '../parts/bench-database.ts';
import { describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import { createBareLiquid } from './bare-liquid.ts';
import { RECEIPT, receiptVariables } from './receipt-template.ts';

export interface RenderBenchOptions {
  readonly count: number;
}

const WARM_UP = 300;
const MEDIAN_MS = 1;
/** The time a template adds to a send beyond its one lookup, in lookups. */
const RATIO_TO_SELECT = 4;

/**
 * The template stage of a send: the lookup, and the rendering in its thread. For comparison, the same run measures the round trip of a
 * SELECT 1 on the same Postgres, and the engine alone in this thread with parsed templates.
 */
export async function benchRender({ count }: RenderBenchOptions): Promise<boolean> {
  const database = await openBenchDatabase();
  const renderer = createTemplateRenderer();
  const accounts = tagged(
    openDatabase({
      target: database.target,
      maxConnections: 2,
      applicationName: 'bench',
      forAccounts: true,
    }),
  );
  try {
    console.log(describeMachine(database.settings));
    console.log(
      `${count} renderings of ${RECEIPT.html.length} characters of html with a list of 12, each with its own values`,
    );
    const accountId = await storeReceipt(database.sql);
    const select = await time(count, () => database.sql.unsafe('SELECT 1'));
    const bare = createBareLiquid(RECEIPT);
    const alone = await time(count, async (index) => bare.render(receiptVariables(index)));
    const find = createLookUp(accounts, accountId);
    const lookUp = await time(count, find);
    const source = await find();
    const rendering = await time(count, async (index) => renderOnce(renderer, accountId, source, index));
    const stage = await time(count, async (index) => renderOnce(renderer, accountId, await find(), index));
    return report({
      'SELECT 1': select,
      'the engine alone, in this thread': alone,
      lookup: lookUp,
      'rendering in its thread': rendering,
      'lookup and rendering': stage,
    });
  } finally {
    await renderer.close();
    await accounts.end({ timeout: 1 });
    await database.close();
  }
}

async function storeReceipt(sql: TaggedSql): Promise<string> {
  const now = new Date();
  const ids = createIdGenerator();
  const accountId = ids.next(now);
  await sql`INSERT INTO accounts (id, name, created_at) VALUES (${accountId}, 'Bench', ${now})`;
  const maker = {
    ...{ accountId, createdBy: ids.next(now), isDrafting: false, now },
    nextId: () => ids.next(now),
  };
  const named = { id: ids.next(now), slug: 'receipt', name: 'Receipt', variables: {}, note: null };
  await storeTemplate(sql, maker, { ...named, ...RECEIPT });
  return accountId;
}

type Source = NonNullable<Awaited<ReturnType<TemplateSources['find']>>>;

function createLookUp(sql: TaggedPool, accountId: string): () => Promise<Source> {
  const sources = createTemplateSources((accountId) => tagged(bindAccount(sql, accountId)));
  return async () => {
    const source = await sources.find(accountId, { name: { slug: 'receipt' }, version: null });
    if (source === null) throw new Error('the template is gone');
    return source;
  };
}

async function renderOnce(renderer: TemplateRenderer, accountId: string, source: Source, index: number): Promise<void> {
  const { id, version, subject, html, text } = source;
  const order = { key: `${id}@${version}`, source: { subject, html, text }, variables: receiptVariables(index) };
  const rendering = await renderer.render(accountId, order);
  if (!rendering.ok || rendering.missing.length > 0) throw new Error(JSON.stringify(rendering));
}

/** Milliseconds of each call, without the warm-up calls. */
async function time(count: number, call: (index: number) => Promise<unknown>): Promise<readonly number[]> {
  for (let index = 0; index < WARM_UP; index += 1) await call(index);
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const beganMs = performance.now();
    await call(index);
    times.push(performance.now() - beganMs);
  }
  return times;
}

function report(measured: Readonly<Record<string, readonly number[]>>): boolean {
  for (const [what, times] of Object.entries(measured)) {
    console.log(`${what}: median ${round(median(times), 3)} ms, p99 ${round(quantile(times, 0.99), 3)} ms`);
  }
  const [select = 0, alone = 0, , rendering = 0, stage = 0] = Object.values(measured).map(median);
  const lines = [
    judge('milliseconds of a rendering, median', rendering, MEDIAN_MS, 'at most'),
    judge('milliseconds of lookup and rendering, median', stage, MEDIAN_MS, 'at most'),
    judge(
      'lookup and rendering in SELECT 1 round trips and the engine alone',
      stage / (select + alone),
      RATIO_TO_SELECT,
      'at most',
    ),
  ];
  for (const line of lines) console.log(line);
  return lines.every((line) => !line.startsWith('MISSED'));
}
