import { ALL_SCOPES, type Scope, type Viewer } from '@postrider/core';

/** What the caller of an operation may see. */
export function viewerOf(caller: {
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly user: object | null;
}): Viewer {
  return { keyId: caller.keyId, scopes: caller.scopes, isUser: caller.user !== null };
}

/** The operator of the installation, who can access the database itself. */
export const OPERATOR: Viewer = { keyId: '', scopes: ALL_SCOPES, isUser: true };
