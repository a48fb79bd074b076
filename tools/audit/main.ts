import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPnpm } from '../run-pnpm.ts';
import { type AuditException, judgeAdvisories } from './judge-advisories.ts';

/**
 * `pnpm run audit:dependencies`: asks the package registry for advisories about production dependencies, and fails on high and critical
 * ones. If the registry is unreachable it prints a warning and passes, because the audit depends on an external server.
 */
const exceptions = JSON.parse(readFileSync(join(import.meta.dirname, 'exceptions.json'), 'utf8')) as AuditException[]; // Our own manifest.
const { stdout, output } = runPnpm(['audit', '--prod', '--json', ...process.argv.slice(2)]);
const verdict = judgeAdvisories({ output: stdout, log: output }, exceptions, new Date().toISOString().slice(0, 10));
switch (verdict.kind) {
  case 'could-not-run':
    console.log(`SKIPPED dependency audit: it could not run, so nothing is known about advisories. ${verdict.reason}`);
    break;
  case 'passed':
    console.log('ok      dependency audit: no high or critical advisory for production dependencies');
    for (const note of verdict.notes) console.log(`        ${note}`);
    break;
  case 'failed':
    console.log('FAILED  dependency audit');
    for (const fault of verdict.faults) console.log(`        ${fault}`);
    console.log('        Update the package, or add a reviewed exception with an end to tools/audit/exceptions.json.');
    process.exitCode = 1;
}
