import { EXIT_CODES } from '../exit-codes.ts';
import { isRecord, textOf } from '../output/json-value.ts';
import { singleLine } from '../output/untrusted-text.ts';
import { type Finding, fail, pass, skip, warn } from './doctor-check.ts';
import type { HealthResult } from './fetch-health.ts';

const CHECK_ADDRESS =
  'Check that the server is running and that --base-url, POSTRIDER_BASE_URL or the profile has its address.';
/** More than the rounding of the header to seconds and the network delay. */
const CLOCK_WARN_MS = 5_000;
/** With such an offset, scheduled sends are rejected as past, or sent too late. */
const CLOCK_FAIL_MS = 60_000;

/** Checks that the base URL is a Postrider server. */
export function judgeServer(baseUrl: string, health: HealthResult): Finding {
  if (health.kind === 'failed')
    return fail('server', `${baseUrl} cannot be reached: ${health.reason}.`, CHECK_ADDRESS, EXIT_CODES.unavailable);
  const version = textOf(health.body['version']);
  if (health.status === 200 && version !== '') return pass('server', `${baseUrl} is Postrider ${singleLine(version)}.`);
  const isDown = health.status >= 502 && health.status <= 504;
  const message = `${baseUrl} returned HTTP ${health.status}, which is not a response of Postrider.`;
  return fail('server', message, CHECK_ADDRESS, isDown ? EXIT_CODES.unavailable : EXIT_CODES.unexpected);
}

/** The server's own checks of its database, its queue and its transport. */
export function judgeReadiness(ready: HealthResult): Finding {
  const fix = 'Run `postrider-server doctor` on the server’s machine.';
  if (ready.kind === 'failed')
    return fail('ready', `The readiness check failed: ${ready.reason}.`, fix, EXIT_CODES.unavailable);
  const checks = isRecord(ready.body['checks']) ? Object.entries(ready.body['checks']) : [];
  const failing = checks.filter(([, check]) => isRecord(check) && check['status'] === 'failing');
  const reasons = failing.map(([name, check]) => `${name}: ${isRecord(check) ? textOf(check['reason']) : ''}`);
  if (failing.length > 0)
    return fail('ready', `The server is not ready. ${singleLine(reasons.join(' '))}`, fix, EXIT_CODES.unavailable);
  if (ready.status !== 200)
    return fail('ready', `The readiness check returned HTTP ${ready.status}.`, fix, EXIT_CODES.unavailable);
  return pass('ready', `The server is ready (${checks.map(([name]) => singleLine(name)).join(', ')}).`);
}

/** Compares this machine's clock with the `Date` header. */
export function judgeClock(health: HealthResult): Finding {
  if (health.kind === 'failed' || health.serverTimeMs === null)
    return skip('clock', 'The server did not report its time.');
  // The header omits fractions of a second, so half a second is the best estimate.
  const offsetMs = health.ownTimeMs - (health.serverTimeMs + 500);
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  const message = `This machine’s clock is ${seconds} s ${offsetMs < 0 ? 'behind' : 'ahead of'} the server’s.`;
  const fix = 'Synchronize both machines with NTP (`timedatectl set-ntp true`).';
  if (Math.abs(offsetMs) >= CLOCK_FAIL_MS) return fail('clock', message, fix);
  if (Math.abs(offsetMs) >= CLOCK_WARN_MS) return warn('clock', message, fix);
  return pass('clock', 'This machine’s clock agrees with the server’s.');
}

/** Versions with the same minor version are compatible. */
export function judgeVersions(own: string, health: HealthResult): Finding {
  const server = health.kind === 'responded' ? singleLine(textOf(health.body['version'])) : '';
  if (server === '') return skip('version', `This is postrider ${own}; the server’s version is unknown.`);
  const minorOf = (version: string) => version.split('.').slice(0, 2).join('.');
  if (minorOf(own) === minorOf(server)) return pass('version', `This is postrider ${own}, the server is ${server}.`);
  const message = `This is postrider ${own}, and the server is ${server}: one may lack features of the other.`;
  return warn('version', message, `Install the CLI of the server’s version, ${server}.`);
}
