import { isIP } from 'node:net';

/** Whether this address means every address of the machine, so that clients cannot connect to it by that name. */
export function isAnyAddress(host: string): boolean {
  if (isIP(host) === 4) return /^0+(\.0+){3}$/.test(host);
  return isIP(host) === 6 && /^[0:]+$/.test(host);
}

/**
 * The base URL of a server that listens there, if no setting gives one. If it listens on every address, the URL uses the machine's name.
 */
export function baseUrlOf(host: string, port: number, machineName: string): string {
  const name = isAnyAddress(host) ? machineName : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
