import { chmod, chown, stat } from 'node:fs/promises';
import { EmbeddedPostgresError, USE_OWN_DATABASE } from './embedded-postgres-error.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { type ProgramCall, runProgram } from './run-program.ts';

/** The user that PostgreSQL runs as: the owner its files must have, and how to start a program as that user. */
export interface PostgresPrivileges {
  description: string;
  uid: number;
  gid: number;
  call(command: string, args: readonly string[]): ProgramCall;
}

export interface FileOwner {
  uid: number;
  gid: number;
}

/** The user id that Linux reserves for "nobody": no account is needed for it. */
const NOBODY: FileOwner = { uid: 65_534, gid: 65_534 };
const ROOT: FileOwner = { uid: 0, gid: 0 };

/**
 * Decides which user PostgreSQL runs as, by trying. It refuses to run as root, so root needs one of the ways below. The way that fits `owner`,
 * who owns the cluster or its data directory, is first, so that a second start need not change file owners.
 * @throws EmbeddedPostgresError if no way works, with the error of each
 */
export async function choosePrivileges(
  binaries: PostgresBinaries,
  dataDir: string,
  owner: FileOwner,
): Promise<PostgresPrivileges> {
  const candidates = process.geteuid?.() === 0 ? rootCandidates(owner) : [runAsOneself()];
  const refusals: string[] = [];
  for (const candidate of candidates) {
    if (candidate.uid === NOBODY.uid) await openToGroup(dataDir, candidate.gid);
    const refusal = await findRefusal(candidate, binaries, dataDir);
    if (refusal === null) return candidate;
    refusals.push(`- ${candidate.description}: ${refusal}`);
  }
  throw noUserWorks(dataDir, refusals);
}

export async function findFolderOwner(path: string): Promise<FileOwner> {
  const { uid, gid } = await stat(path);
  return { uid, gid };
}

function rootCandidates(owner: FileOwner): PostgresPrivileges[] {
  const reservedUser = [runAsUser(NOBODY), runAsUserWithAccess(NOBODY)];
  if (owner.uid === ROOT.uid) return [runInNamespace(), ...reservedUser];
  const owningUser = [runAsUser(owner), runAsUserWithAccess(owner)];
  return [...owningUser, runInNamespace(), ...(owner.uid === NOBODY.uid ? [] : reservedUser)];
}

function runAsOneself(): PostgresPrivileges {
  const uid = process.geteuid?.() ?? 0;
  return {
    description: `as user ${uid}`,
    uid,
    gid: process.getegid?.() ?? 0,
    call: (command, args) => ({ command, args }),
  };
}

/** Root maps itself to another user id in a separate user namespace; outside it the files still belong to root. */
function runInNamespace(): PostgresPrivileges {
  const mapping = ['--user', `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`];
  return {
    description: 'in a user namespace (unshare)',
    ...ROOT,
    call: (command, args) => ({ command: 'unshare', args: [...mapping, command, ...args] }),
  };
}

function runAsUser({ uid, gid }: FileOwner): PostgresPrivileges {
  return { description: `as user ${uid}`, uid, gid, call: (command, args) => ({ command, args, uid, gid }) };
}

/**
 * The user keeps one capability of root, which is to access any folder. This is for a data directory or an installation
 * below a private one such as /root in a container that allows no user namespaces. Without no_setuid_fixup, access(2)
 * would ignore the capability, and initdb uses it.
 */
function runAsUserWithAccess({ uid, gid }: FileOwner): PostgresPrivileges {
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--securebits=+no_setuid_fixup'];
  const rights = ['--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'];
  return {
    description: `as user ${uid} with access to every folder (setpriv)`,
    uid,
    gid,
    call: (command, args) => ({ command: 'setpriv', args: [...identity, ...rights, command, ...args] }),
  };
}

/** Lets the reserved group traverse root's own private data directory, which it still can neither list nor write. */
async function openToGroup(dataDir: string, gid: number): Promise<void> {
  const folder = await stat(dataDir);
  if (folder.uid !== ROOT.uid || folder.gid !== ROOT.gid || (folder.mode & 0o001) !== 0) return;
  await chown(dataDir, folder.uid, gid);
  await chmod(dataDir, (folder.mode & 0o700) | 0o010);
}

/** Why PostgreSQL's program cannot run this way, or cannot reach the data directory; null if it can. */
async function findRefusal(
  candidate: PostgresPrivileges,
  binaries: PostgresBinaries,
  dataDir: string,
): Promise<string | null> {
  const script = '"$1" -V && cd "$2"';
  const result = await runProgram(candidate.call('/bin/sh', ['-c', script, 'postrider', binaries.postgres, dataDir]));
  if (result.code === 0) return null;
  return result.output === '' ? `exited with code ${result.code}` : result.output;
}

function noUserWorks(dataDir: string, refusals: readonly string[]): EmbeddedPostgresError {
  if (process.geteuid?.() !== 0) {
    return new EmbeddedPostgresError(
      `The embedded PostgreSQL does not run on this machine:\n${refusals.join('\n')}`,
      `The programs need Linux with glibc, or macOS. Otherwise ${USE_OWN_DATABASE}.`,
    );
  }
  return new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and running it as another user does not work for ${dataDir}:\n${refusals.join('\n')}`,
    `Start Postrider as an ordinary user, use a data directory whose parent folders are accessible to all users (such as one in /var/lib), or ${USE_OWN_DATABASE}.`,
  );
}
