/** An advisory as `pnpm audit --json` reports it. */
export interface Advisory {
  readonly github_advisory_id?: string;
  readonly id: number | string;
  readonly module_name: string;
  readonly severity: string;
  readonly title: string;
  readonly url: string;
  readonly vulnerable_versions: string;
}

/** An advisory that does not affect this product, with the date until which that assessment is valid. */
export interface AuditException {
  /** `GHSA-…`. */
  readonly advisory: string;
  readonly reason: string;
  /** The last day on which the exception applies, `YYYY-MM-DD`. */
  readonly until: string;
}

export type AuditVerdict =
  | { readonly kind: 'passed'; readonly notes: readonly string[] }
  | { readonly kind: 'failed'; readonly faults: readonly string[] }
  | { readonly kind: 'could-not-run'; readonly reason: string };

const FAILING = new Set(['high', 'critical']);

/**
 * Fails on high and critical advisories, except those with a current exception.
 * @param output the standard output of `pnpm audit --json`; not a report if the registry returned none
 * @param today `YYYY-MM-DD`
 */
export function judgeAdvisories(
  { output, log }: { readonly output: string; readonly log: string },
  exceptions: readonly AuditException[],
  today: string,
): AuditVerdict {
  const advisories = readAdvisories(output);
  if (advisories === null) return { kind: 'could-not-run', reason: reasonOf(log) };
  const excepted = new Map(exceptions.map((exception) => [exception.advisory, exception]));
  const faults: string[] = [];
  const notes: string[] = [];
  for (const advisory of advisories) {
    const name = advisory.github_advisory_id ?? String(advisory.id);
    const said = `${advisory.severity}: ${advisory.module_name} ${advisory.vulnerable_versions}: ${advisory.title} (${advisory.url})`;
    const exception = excepted.get(name);
    if (!FAILING.has(advisory.severity)) notes.push(said);
    else if (exception === undefined) faults.push(said);
    else if (exception.until < today) faults.push(`${said}; its exception ended on ${exception.until}`);
    else notes.push(`${said}; excepted until ${exception.until}: ${exception.reason}`);
  }
  return faults.length === 0 ? { kind: 'passed', notes } : { kind: 'failed', faults };
}

/** Null for anything that is not a report: a registry's error page does not prove that there are no advisories. */
function readAdvisories(output: string): readonly Advisory[] | null {
  try {
    const report: unknown = JSON.parse(output);
    if (typeof report !== 'object' || report === null || !('advisories' in report) || !('metadata' in report))
      return null;
    return Object.values(report.advisories as Record<string, Advisory>); // The output format of the pinned pnpm version.
  } catch {
    return null;
  }
}

function reasonOf(log: string): string {
  const words = log
    .split('\n')
    .filter((line) => !line.startsWith('npm warn'))
    .join(' ')
    .replace(/[×│\s]+/g, ' ')
    .trim();
  return words === '' ? 'the registry gave no report' : words.slice(0, 300);
}
