import type { RequestListener } from 'node:http';
import type { AuthorizationServer, AuthorizationServerOptions } from './authorization-server.ts';
import { atEndpoint } from './endpoint-context.ts';

/** The authorization server, with what its routes use. */
export interface LoadedServer {
  readonly provider: AuthorizationServer;
  readonly listener: RequestListener;
  readonly errors: typeof import('oidc-provider').errors;
  /** The hash under which the id of a request is stored. */
  readonly hashOf: (id: string) => Buffer;
  /** A program as it was stored when its user was asked; undefined if it is not stored any more. */
  readonly findClient: (
    id: string,
  ) => Promise<{ readonly clientId: string; readonly clientName?: string | undefined } | undefined>;
}

/** Loads the authorization server at its first request: the library takes time and memory that servers without such programs do not need. */
export function createOAuthService(options: AuthorizationServerOptions): () => Promise<LoadedServer> {
  let loaded: Promise<LoadedServer> | null = null;
  return () => {
    loaded ??= load(options);
    loaded.catch(() => {
      loaded = null;
    });
    return loaded;
  };
}

async function load(options: AuthorizationServerOptions): Promise<LoadedServer> {
  const [{ createAuthorizationServer }, { hashOf }, { errors }] = await quietly(() =>
    Promise.all([import('./authorization-server.ts'), import('./oauth-adapter.ts'), import('oidc-provider')]),
  );
  const provider = createAuthorizationServer(options);
  const context = { usesStoredClients: true, isRevocation: false };
  return {
    ...{ provider, errors, hashOf, listener: provider.callback() },
    findClient: (id) => atEndpoint(context, () => provider.Client.find(id)),
  };
}

/** The library warns on the console about versions of Node newer than it knows, where operators read the server’s own messages. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  // biome-ignore lint/style/noRestrictedGlobals: the library writes there, and offers no other way.
  const output = console;
  const { warn } = output;
  output.warn = (...given: unknown[]) => {
    if (!String(given[0]).includes('Unsupported runtime')) warn(...given);
  };
  try {
    return await run();
  } finally {
    output.warn = warn;
  }
}
