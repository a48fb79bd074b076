import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { readSchemaState } from '../db/migrate.ts';
import { readDatabaseTime, readServerVersion } from '../db/queries/doctor.ts';
import { type DoctorCheck, fail, fixOf, messageOf, pass, warn } from './doctor-check.ts';

/** Beyond this, the retries, holds and schedules of several servers visibly disagree. */
const CLOCK_WARN_MS = 1_000;
/** Beyond this, leases and heartbeats, which last tens of seconds, fail. */
const CLOCK_FAIL_MS = 30_000;

export async function checkDatabase(sql: Sql, where: string): Promise<DoctorCheck> {
  try {
    return pass('database', `PostgreSQL ${await readServerVersion(sql)} responds (${where}).`);
  } catch (error) {
    return fail('database', `The database does not respond: ${messageOf(error)}`, 'Check that it runs.');
  }
}

export async function checkSchema(sql: Sql): Promise<DoctorCheck> {
  const migrate = 'Make a backup. Then run `postrider-server migrate`, or start the server, which also migrates.';
  try {
    const state = await readSchemaState(sql);
    if (state === 'current') return pass('schema', 'The schema is up to date.');
    return state === 'behind'
      ? fail('schema', 'The schema is older than this version of Postrider.', migrate)
      : fail('schema', 'The database is empty.', migrate);
  } catch (error) {
    return fail('schema', messageOf(error), fixOf(error, 'Check the permissions of the database user.'));
  }
}

/** The offset between this machine's clock and the database's, measured at the midpoint of the query. */
export async function checkClock(sql: Sql, clock: Clock): Promise<DoctorCheck> {
  const beganMs = clock.now().getTime();
  const database = await readDatabaseTime(sql);
  const middleMs = (beganMs + clock.now().getTime()) / 2;
  const offsetMs = Math.round(middleMs - database.getTime());
  const seconds = (Math.abs(offsetMs) / 1_000).toFixed(1);
  const message = `This machine’s clock is ${seconds} s ${offsetMs < 0 ? 'behind' : 'ahead of'} the database’s.`;
  const fix = 'Synchronize both machines with NTP (`timedatectl set-ntp true`).';
  if (Math.abs(offsetMs) >= CLOCK_FAIL_MS) return fail('clock', message, fix);
  if (Math.abs(offsetMs) >= CLOCK_WARN_MS) return warn('clock', message, fix);
  return pass('clock', 'This machine’s clock agrees with the database’s.');
}
