import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

export type Revision = '2025-11-25' | '2026-07-28';

export interface SuiteReport {
  /** The suite's own summary, a line for each scenario. */
  readonly summary: readonly string[];
  /** Checks that failed in scenarios that the revision requires, as `scenario:check`. Extensions run too, and are not required. */
  readonly failures: readonly string[];
  /** How many scenarios the revision requires, and how many of them ran without a failure. */
  readonly required: number;
  readonly passed: number;
}

const SUITE = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));
export const PROGRAM = join(SUITE, 'dist/index.js');

/** Runs what a revision of the protocol requires of servers, by the public suite's own program. */
export async function runSuite(url: string, revision: Revision): Promise<SuiteReport> {
  const results = await mkdtemp(join(tmpdir(), 'postrider-conformance-'));
  try {
    const output = await runProgram(['server', '--url', url, '--requirements', revision, '-o', results]);
    const required = await readRequired(revision);
    const failures = (await readFailures(results)).filter((failure) => required.has(scenarioOf(failure)));
    const failed = new Set(failures.map(scenarioOf));
    const ran = new Set((await readdir(results)).map(scenarioOfDirectory));
    return {
      summary: output.split('\n').filter((line) => /^[✓✗] /.test(line)),
      failures: failures.sort(),
      required: required.size,
      passed: [...required].filter((scenario) => ran.has(scenario) && !failed.has(scenario)).length,
    };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

async function runProgram(given: readonly string[]): Promise<string> {
  const suite = spawn(process.execPath, [PROGRAM, ...given]);
  const chunks: Buffer[] = [];
  for (const stream of [suite.stdout, suite.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise<void>((done, failed) => {
    suite.once('error', failed);
    suite.once('close', () => done());
  });
  return Buffer.concat(chunks).toString();
}

/** The frozen list that the suite has of each revision. */
async function readRequired(revision: Revision): Promise<ReadonlySet<string>> {
  const list: { server: string[] } = parse(await readFile(join(SUITE, 'requirements', `${revision}.yaml`), 'utf8'));
  return new Set(list.server);
}

async function readFailures(results: string): Promise<string[]> {
  const failures: string[] = [];
  for (const directory of await readdir(results)) {
    const checks: readonly { id: string; status: string }[] = JSON.parse(
      await readFile(join(results, directory, 'checks.json'), 'utf8'),
    );
    const failed = checks.filter(({ status }) => status === 'FAILURE');
    failures.push(...failed.map(({ id }) => `${scenarioOfDirectory(directory)}:${id}`));
  }
  return failures;
}

/** `server-<scenario>-<time>`. */
function scenarioOfDirectory(directory: string): string {
  return directory.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
}

function scenarioOf(failure: string): string {
  return failure.slice(0, failure.indexOf(':'));
}
