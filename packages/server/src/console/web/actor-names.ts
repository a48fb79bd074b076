import type { PageRequest } from './page-request.ts';

/** The names of users and keys by id, as far as the role may read them. */
export type ActorNames = ReadonlyMap<string, ActorName>;

interface ActorName {
  readonly name: string;
  /** The page of a key; null for others. */
  readonly href: string | null;
}

const OTHERS: ReadonlyMap<string, string> = new Map([
  ['system', 'Postrider, by a rule'],
  ['operator', 'The operator of the server'],
  ['recipient', 'A recipient'],
]);

export async function readActorNames(request: PageRequest): Promise<ActorNames> {
  const [team, keys] = await Promise.all([
    request.may('team.list') ? request.call('team.list') : null,
    request.may('keys.list') ? request.call('keys.list', { query: { limit: '100' } }) : null,
  ]);
  return new Map<string, ActorName>([
    ...[...OTHERS].map(([id, name]) => [id, { name, href: null }] as const),
    ...(team?.members ?? []).map(({ id, name, email }) => [id, { name: name ?? email, href: null }] as const),
    ...(keys?.keys ?? []).map(({ id, name }) => [id, { name: `${name} (key)`, href: `/console/keys/${id}` }] as const),
  ]);
}
