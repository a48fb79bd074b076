import { describe, expect, it } from 'vitest';
import { type AuditException, judgeAdvisories } from '../../tools/audit/judge-advisories.ts';

const HIGH = {
  ...{ id: 1, github_advisory_id: 'GHSA-aaaa-bbbb-cccc', module_name: 'fastify', severity: 'high', title: 'Bad' },
  ...{ url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc', vulnerable_versions: '<99' },
};

function judge(advisories: readonly object[], exceptions: readonly AuditException[] = []) {
  const output = JSON.stringify({ advisories: Object.fromEntries(advisories.entries()), metadata: {} });
  return judgeAdvisories({ output, log: output }, exceptions, '2026-11-22');
}

describe('the dependency audit', () => {
  it('passes without advisories, and with those that are moderate or less, which it names', () => {
    expect(judge([])).toEqual({ kind: 'passed', notes: [] });
    const verdict = judge([{ ...HIGH, severity: 'moderate' }]);
    expect(verdict).toEqual({ kind: 'passed', notes: [expect.stringContaining('moderate: fastify <99: Bad')] });
  });

  it.each(['high', 'critical'])('fails when one is %s', (severity) => {
    const fault = expect.stringContaining(`${severity}: fastify <99: Bad (https://github.com/advisories/`);
    expect(judge([{ ...HIGH, severity }])).toEqual({ kind: 'failed', faults: [fault] });
  });

  it('accepts a reviewed exception until its last day, for that advisory alone', () => {
    const exception = { advisory: HIGH.github_advisory_id, reason: 'Not reachable.', until: '2026-11-22' };
    expect(judge([HIGH], [exception])).toMatchObject({
      kind: 'passed',
      notes: [expect.stringContaining('Not reachable.')],
    });
    expect(judge([HIGH], [{ ...exception, until: '2026-11-21' }])).toMatchObject({
      kind: 'failed',
      faults: [expect.stringContaining('its exception ended on 2026-11-21')],
    });
    expect(judge([{ ...HIGH, github_advisory_id: 'GHSA-other' }], [exception]).kind).toBe('failed');
  });

  it.each(['', 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE', '{"error":"method not allowed"}', '<html>', '{"advisories":{}}'])(
    'says that it could not run when the registry sent no report: %s',
    (output) => {
      const log =
        'npm warn Unknown config\nError: ERR_PNPM_AUDIT_BAD_RESPONSE\n\n  × The audit endpoint responded with 405';
      const verdict = judgeAdvisories({ output, log }, [], '2026-11-22');
      const reason = 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE The audit endpoint responded with 405';
      expect(verdict).toEqual({ kind: 'could-not-run', reason });
    },
  );
});
