import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM, type Revision } from './run-suite.ts';

export interface AuthorizationReport {
  /** The scenarios that ran. */
  readonly scenarios: readonly string[];
  /** Every check that is neither passed nor only information, as `scenario:check`. */
  readonly failures: readonly string[];
  readonly checks: number;
}

export interface AuthorizationRun {
  /** The issuer. */
  readonly url: string;
  readonly clientId: string;
  readonly resource: string;
  readonly port: number;
  readonly revision: Revision;
  /** What the user does with the printed URL; resolves once the program has the result. */
  readonly visit: (url: string) => Promise<void>;
}

/** Runs what a revision of the protocol requires of authorization servers, by the public suite's own program. */
export async function runAuthorization(run: AuthorizationRun): Promise<AuthorizationReport> {
  const results = await mkdtemp(join(tmpdir(), 'postrider-conformance-'));
  try {
    await runProgram(run, results);
    const scenarios: string[] = [];
    const failures: string[] = [];
    let count = 0;
    for (const directory of await readdir(results)) {
      const name = directory.replace(/^authorization-server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
      scenarios.push(name);
      const checks: readonly { id: string; status: string }[] = JSON.parse(
        await readFile(join(results, directory, 'checks.json'), 'utf8'),
      );
      count += checks.length;
      failures.push(
        ...checks.filter(({ status }) => !['SUCCESS', 'INFO'].includes(status)).map(({ id }) => `${name}:${id}`),
      );
    }
    return { scenarios: scenarios.sort(), failures: failures.sort(), checks: count };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

async function runProgram(
  { url, clientId, resource, port, revision, visit }: AuthorizationRun,
  results: string,
): Promise<void> {
  const given = ['--url', url, '--client-id', clientId, '--resource', resource, '--port', String(port)];
  const suite = spawn(process.execPath, [
    PROGRAM,
    'authorization',
    ...given,
    '--spec-version',
    revision,
    '-o',
    results,
  ]);
  let output = '';
  let visited: Promise<void> | null = null;
  suite.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    const asked = /^(http\S+\/oauth\/authorize\?\S+)$/m.exec(output)?.[1];
    if (asked !== undefined && output.includes('Callback server started')) visited ??= visit(asked);
  });
  await new Promise<void>((done, failed) => {
    suite.once('error', failed);
    suite.once('close', () => done());
  });
  await visited;
}
