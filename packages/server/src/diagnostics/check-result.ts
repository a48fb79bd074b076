import type { ToolCheckName } from '@postrider/core';
import type { Finding } from './findings.ts';

/** The result of a check of any kind. */
export interface CheckResult<Check extends ToolCheckName, Code extends string, Row> {
  readonly ok: boolean;
  readonly check: Check;
  readonly target: string;
  readonly status: Finding['level'];
  readonly records: Row[];
  readonly findings: Finding<Code>[];
  readonly checkedAt: string;
}

/** @param findings the worst first. */
export function toCheckResult<Check extends ToolCheckName, Code extends string, Row>(
  check: Check,
  target: string,
  { records, findings }: { readonly records: Row[]; readonly findings: Finding<Code>[] },
  now: Date,
): CheckResult<Check, Code, Row> {
  const status = findings[0]?.level ?? 'pass';
  return { ok: status !== 'fail', check, target, status, records, findings, checkedAt: now.toISOString() };
}
