import { AsyncLocalStorage } from 'node:async_hooks';

/** What the endpoint of a request means for the stored state. */
export interface EndpointContext {
  /**
   * Whether programs with published metadata are read as they were stored when their user was asked. Otherwise each endpoint and process
   * would fetch them again, and a host that is down would sign all its users out.
   */
  readonly usesStoredClients: boolean;
  readonly isRevocation: boolean;
}

const endpoints = new AsyncLocalStorage<EndpointContext>();

/** The endpoint of the request that is handled now. */
export function presentEndpoint(): EndpointContext | undefined {
  return endpoints.getStore();
}

/** Runs what the authorization server does for an endpoint. */
export function atEndpoint<T>(context: EndpointContext, run: () => T): T {
  return endpoints.run(context, run);
}
