import { FIRST_PROGRAM_SCOPES, PROGRAM_SCOPES, type Scope } from '@postrider/core';

/** The scopes that a request asks for, as far as programs can get them; the first ones if it names none of those. */
export function requestedScopes(scope: string | undefined): readonly Scope[] {
  const names = scope?.split(' ') ?? [];
  const known = PROGRAM_SCOPES.filter((name) => names.includes(name));
  return known.length > 0 ? known : FIRST_PROGRAM_SCOPES;
}
