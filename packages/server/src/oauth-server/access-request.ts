import { PROGRAM_SCOPES, type Role, type Scope, scopesOfProgram } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { type KeyRow, listClientKeys } from '../db/queries/api-keys.ts';
import { listMembers } from '../db/queries/members.ts';
import { listSendingDomains } from '../db/queries/sending-domains.ts';
import type { User } from '../keys/caller.ts';

/** How well the server knows who runs a program. */
export type ClientIdentity =
  /** The host publishes the program's metadata, and has just confirmed them. */
  | { readonly kind: 'published'; readonly host: string }
  /** The program registered itself: anyone can register any name. */
  | { readonly kind: 'registered' };

/** Where the browser is sent with the result. */
export type ReturnPlace =
  | { readonly kind: 'own-machine'; readonly host: string }
  | { readonly kind: 'site'; readonly host: string }
  | { readonly kind: 'app'; readonly scheme: string };

/** An access that the user granted the program before. */
export interface FormerGrant {
  readonly row: KeyRow;
  /** What the user granted, whether or not their role includes it now. */
  readonly granted: readonly Scope[];
}

/** A program's request for access, as the user decides about it. */
export interface AccessRequest {
  readonly clientId: string;
  readonly clientName: string;
  readonly identity: ClientIdentity;
  readonly returnsTo: ReturnPlace;
  /** The scopes that it asks for and that the user's role can grant. */
  readonly scopes: readonly Scope[];
  /** What the user granted it before. */
  readonly former: readonly FormerGrant[];
  /** The former grant that this request extends, if it seems to: in use, and with fewer scopes. */
  readonly extended: string | null;
  readonly teamAddresses: readonly string[];
  /** Names that only this server or a member may use. */
  readonly takenNames: readonly string[];
  /** The verified domains of the account. */
  readonly ownDomains: readonly string[];
}

interface ClientRecord {
  readonly clientId: string;
  readonly clientName?: string | undefined;
}

export interface AccessRequestParts {
  readonly client: ClientRecord;
  readonly scope: string | undefined;
  readonly redirectUri: string;
  readonly user: User;
  readonly accountId: string;
  readonly now: Date;
}

export async function readAccessRequest(
  query: Query,
  { client, scope, redirectUri, user, accountId, now }: AccessRequestParts,
): Promise<AccessRequest> {
  const { clientId } = client;
  const { memberId } = user;
  const [keys, team, ownDomains] = await Promise.all([
    listClientKeys(query, { accountId, memberId, clientId, now }),
    listMembers(query, accountId),
    listSendingDomains(query, accountId),
  ]);
  const scopes = grantableScopes(scope, user);
  const former = keys.map((row) => ({ row, granted: row.storedScopes }));
  return {
    ...{ clientId, clientName: client.clientName ?? '', scopes, former, ownDomains },
    identity: identityOf(clientId),
    returnsTo: placeOf(redirectUri),
    extended: former.find((grant) => isExtended(grant, scopes, user.role, now))?.row.keyId ?? null,
    takenNames: ['Postrider', ...team.flatMap(({ name, email }) => [email, ...(name === null ? [] : [name])])],
    teamAddresses: team.filter(({ status }) => status === 'active').map(({ email }) => email),
  };
}

function grantableScopes(scope: string | undefined, { role }: User): readonly Scope[] {
  const asked = scope?.split(' ') ?? [];
  return scopesOfProgram(PROGRAM_SCOPES, role).filter((name) => asked.includes(name));
}

function identityOf(clientId: string): ClientIdentity {
  const url = clientId.startsWith('https://') ? URL.parse(clientId) : null;
  return url === null ? { kind: 'registered' } : { kind: 'published', host: url.host };
}

const OWN_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function placeOf(redirectUri: string): ReturnPlace {
  const url = new URL(redirectUri);
  if (OWN_MACHINE.has(url.hostname)) return { kind: 'own-machine', host: url.host };
  return url.protocol === 'https:' ? { kind: 'site', host: url.host } : { kind: 'app', scheme: url.protocol };
}

const IN_USE_MS = 3_600_000;

/** A program that needs more asks again while it is used. A program on another machine of the user asks for as much as before. */
function isExtended(
  { row: { lastUsedAt, storedScopes } }: FormerGrant,
  asked: readonly Scope[],
  role: Role,
  now: Date,
): boolean {
  const granted = scopesOfProgram(storedScopes, role);
  const isUsed = lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < IN_USE_MS;
  return isUsed && asked.some((scope) => scope !== 'emails:content-all' && !granted.includes(scope));
}
