import { type CredentialsFile, findCredentials } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { defineCommand } from '../define-command.ts';
import { checkCertificate } from '../doctor/check-certificate.ts';
import { checkKey } from '../doctor/check-key.ts';
import { checkWebhooks } from '../doctor/check-webhooks.ts';
import { type DoctorCheck, type Finding, fail, pass, skip } from '../doctor/doctor-check.ts';
import { fetchHealth } from '../doctor/fetch-health.ts';
import { judgeClock, judgeReadiness, judgeServer, judgeVersions } from '../doctor/judge-server.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { CliFailure } from '../failure.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Output } from '../output/output.ts';
import { wrapText } from '../output/wrap-text.ts';
import { readVersion } from '../version.ts';

/** The width of the longest status. */
const STATUS_COLUMNS = 4;
/** In narrower windows the terminal wraps the lines. */
const MESSAGE_COLUMNS_MIN = 30;

/** Checks everything between this terminal and the server. Exits with the code of the first check that fails. */
export const definition = defineCommand({
  id: 'doctor',
  about: {
    summary: 'Check the connection',
    description:
      'Checks the key and its source, the connection to the server, its readiness and its certificate, failing webhook endpoints, the clock and the versions, and says how to fix each problem. With `--json`: `{ok, checks: [{name, status: pass|warn|fail|skip, message, fix}]}`. To check the database and the settings of the server, run `postrider-server doctor` on its machine.',
    needsKey: false,
    scope: null,
    examples: ['postrider doctor', 'postrider doctor --json | jq .ok'],
  },
  async runAlone({ options }, output, io) {
    const { profile, baseUrl } = await checkProfile(options, io);
    const findings = [profile, ...(baseUrl === null ? [] : await examine(baseUrl, options, io))];
    const checks = findings.map(({ check }) => check);
    const failed = findings.find(({ check }) => check.status === 'fail');
    if (output.isJson) output.writeJson({ ok: failed === undefined, checks });
    else output.writeText(toText(checks, output));
    return failed?.exitCode ?? EXIT_CODES.done;
  },
});

async function examine(baseUrl: string, options: GlobalOptions, io: CliIo): Promise<readonly Finding[]> {
  const timeoutMs = options.timeoutSeconds * 1_000;
  const [health, certificate] = await Promise.all([
    fetchHealth(baseUrl, '/health', timeoutMs, io.signal),
    checkCertificate(baseUrl, timeoutMs, io.signal),
  ]);
  const server = judgeServer(baseUrl, health);
  const isReachable = server.check.status === 'pass';
  const [ready, key] = isReachable
    ? await Promise.all([
        fetchHealth(baseUrl, '/health/ready', timeoutMs, io.signal).then(judgeReadiness),
        checkKey(options, io),
      ])
    : [skip('ready', 'The server cannot be reached.'), skip('key', 'The server cannot be reached.')];
  const isKnown = key.check.status === 'pass' || key.check.status === 'warn';
  const webhooks = isKnown ? await checkWebhooks(options, io) : skip('webhooks', 'This check needs a valid key.');
  return [server, certificate, ready, key, webhooks, judgeClock(health), judgeVersions(readVersion(), health)];
}

/** The source of the key and of the address. Without a key, the address can still be known. */
async function checkProfile(options: GlobalOptions, io: CliIo) {
  try {
    const { apiKey, baseUrl, file } = await findCredentials(options, io, true);
    const source = (flag: string | undefined, variable: string, name: string) =>
      flag !== undefined ? name : io.env[variable] ? variable : null;
    const keyFrom = file === null ? source(options.apiKey, 'POSTRIDER_API_KEY', '--api-key') : describeFile(file);
    const addressFrom = source(options.baseUrl, 'POSTRIDER_BASE_URL', '--base-url');
    const message =
      file !== null && addressFrom === null
        ? `The key (${apiKey?.slice(0, 8)}…) and the address come from ${keyFrom}.`
        : `The key (${apiKey?.slice(0, 8)}…) comes from ${keyFrom}, the address from ${addressFrom ?? 'quickstart.json or the default'}.`;
    return { profile: pass('profile', message), baseUrl: baseUrl ?? null };
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    const { detail, fix } = error.problem;
    const baseUrl = options.baseUrl ?? io.env['POSTRIDER_BASE_URL'];
    const known = baseUrl !== undefined && /^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '');
    return {
      profile: fail('profile', detail, fix ?? 'Pass --api-key.', error.exitCode),
      baseUrl: known ? baseUrl.replace(/\/+$/, '') : null,
    };
  }
}

function describeFile(file: CredentialsFile): string {
  return file.kind === 'sign-in' ? `the profile ${file.name} in ${file.path}` : file.path;
}

function toText(checks: readonly DoctorCheck[], { paint, width }: Output): string {
  const nameColumns = Math.max(...checks.map(({ name }) => name.length));
  const indent = ' '.repeat(STATUS_COLUMNS + nameColumns + 4);
  const columns = Math.max(MESSAGE_COLUMNS_MIN, (width ?? Number.POSITIVE_INFINITY) - indent.length);
  const lines = checks.flatMap(({ name, status, message, fix }) => {
    const [first = '', ...more] = wrapText(message, columns);
    return [
      `${paint.status(status)}  ${name.padEnd(nameColumns)}  ${first}`,
      ...more.map((line) => `${indent}${line}`),
      ...(fix === null ? [] : wrapText(`fix: ${fix}`, columns).map((line) => `${indent}${paint.faint(line)}`)),
    ];
  });
  return `${lines.join('\n')}\n`;
}
