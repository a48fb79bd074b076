import type { RequestListener } from 'node:http';
import type { AuthorizationServer, AuthorizationServerOptions } from './authorization-server.ts';

/** The authorization server, with what its routes use. */
export interface LoadedServer {
  readonly provider: AuthorizationServer;
  readonly listener: RequestListener;
}

/** Loads the authorization server at its first request: the library takes time and memory that servers without such programs do not need. */
export function createOAuthService(options: AuthorizationServerOptions): () => Promise<LoadedServer> {
  let loaded: Promise<LoadedServer> | null = null;
  return () => {
    loaded ??= importQuietly().then(({ createAuthorizationServer }) => {
      const provider = createAuthorizationServer(options);
      return { provider, listener: provider.callback() };
    });
    return loaded;
  };
}

/** The library warns on the console about versions of Node newer than it knows, and the console belongs to the server’s own messages. */
async function importQuietly(): Promise<typeof import('./authorization-server.ts')> {
  // biome-ignore lint/style/noRestrictedGlobals: the library writes there, and offers no other way.
  const output = console;
  const { warn } = output;
  output.warn = (...given: unknown[]) => {
    if (!String(given[0]).includes('Unsupported runtime')) warn(...given);
  };
  try {
    return await import('./authorization-server.ts');
  } finally {
    output.warn = warn;
  }
}
