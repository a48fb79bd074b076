import { pathToFileURL } from 'node:url';

/** What is judged of a page: scores from 0 to 100. */
export interface LighthouseScores {
  readonly scores: Readonly<Record<Category, number>>;
  readonly lcpMs: number;
  /** The audits that a page lost points by, the most expensive first. */
  readonly lost: readonly string[];
}

export const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
type Category = (typeof CATEGORIES)[number];

/** Pages of a user must not be found by search engines: `noindex` is on purpose. */
export const SKIPPED_AUDITS = ['is-crawlable'];

interface Audit {
  readonly score: number | null;
  readonly numericValue?: number;
}

interface LighthouseResult {
  readonly lhr: {
    readonly categories: Readonly<
      Record<
        string,
        { readonly score: number; readonly auditRefs: readonly { readonly id: string; readonly weight: number }[] }
      >
    >;
    readonly audits: Readonly<Record<string, Audit>>;
    readonly runtimeError?: { readonly message: string };
  };
}

type Lighthouse = (url: string, flags: object) => Promise<LighthouseResult | undefined>;

/** The package is installed apart from the workspace, by `pnpm test:lighthouse`. */
const MODULE = new URL('../../tools/lighthouse/node_modules/lighthouse/core/index.js', import.meta.url);

/** Loads a page as a phone with a processor that is four times slower, signed in by its cookie, and without a slow network between. */
export async function runLighthouse(url: string, port: number, cookie: string): Promise<LighthouseScores> {
  const { default: lighthouse } = (await import(pathToFileURL(MODULE.pathname).href)) as {
    readonly default: Lighthouse;
  };
  const throttling = { cpuSlowdownMultiplier: 4, rttMs: 0, throughputKbps: 0, requestLatencyMs: 0 };
  const result = await lighthouse(url, {
    ...{ port, logLevel: 'error', output: 'json', onlyCategories: CATEGORIES, skipAudits: SKIPPED_AUDITS },
    ...{ formFactor: 'mobile', throttlingMethod: 'devtools', extraHeaders: { cookie } },
    throttling: { ...throttling, downloadThroughputKbps: 0, uploadThroughputKbps: 0 },
  });
  if (result === undefined || result.lhr.runtimeError !== undefined)
    throw new Error(`${url}: ${result?.lhr.runtimeError?.message}`);
  const { categories, audits } = result.lhr;
  const scoreOf = (name: Category) => [name, Math.round((categories[name]?.score ?? 0) * 100)] as const;
  const lost = Object.values(categories)
    .flatMap(({ auditRefs }) => auditRefs)
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9)
    .sort((one, other) => other.weight - one.weight)
    .map(({ id }) => id);
  return {
    scores: Object.fromEntries(CATEGORIES.map(scoreOf)) as Record<Category, number>, // Every category is there.
    lcpMs: Math.round(audits['largest-contentful-paint']?.numericValue ?? Number.NaN),
    lost,
  };
}
