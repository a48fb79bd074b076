import { type DoctorCheck, pass, warn } from './doctor-check.ts';

export interface ProcessFacts {
  /** How many processes the server would start. */
  readonly processes: number;
  /** The most database connections that each of them opens. */
  readonly perProcess: number;
  /** How many connections the database allows to its user; null for the embedded database, which allows enough. */
  readonly allowed: number | null;
}

const FIX =
  'Raise max_connections of the database (or the connection limit of its user), or set POSTRIDER_PROCESSES to a lower number. Servers on other machines need connections too.';

/** Whether the database has connections for all processes of a server. */
export function judgeProcesses({ processes, perProcess, allowed }: ProcessFacts): DoctorCheck {
  const needed = processes * perProcess;
  const who = processes === 1 ? 'One process needs' : `${processes} processes need`;
  if (allowed === null) return pass('processes', `${who} up to ${needed} connections of the embedded PostgreSQL.`);
  const text = `${who} up to ${needed} of the ${allowed} connections that the database allows.`;
  return needed <= allowed ? pass('processes', text) : warn('processes', text, FIX);
}
