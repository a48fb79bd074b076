import type { ClientRequest, RequestOptions } from 'node:http';

/**
 * What makes a request to an address of this kind. The modules are not imported: to import one reads all it exports, among that the WebSocket, which
 * loads undici after all.
 */
export function requestOf(url: string): (url: string, options: RequestOptions) => ClientRequest {
  return url.startsWith('https:')
    ? process.getBuiltinModule('node:https').request
    : process.getBuiltinModule('node:http').request;
}
