import { isIP } from 'node:net';

/** Whether to listen on this address is to listen on every address of the machine, so that it names none that anybody could call. */
export function isAnyAddress(host: string): boolean {
  if (isIP(host) === 4) return /^0+(\.0+){3}$/.test(host);
  return isIP(host) === 6 && /^[0:]+$/.test(host);
}

/** The address a server that listens there is called by, where no setting says it: on every address, by the name of its machine. */
export function baseUrlOf(host: string, port: number, machineName: string): string {
  const name = isAnyAddress(host) ? machineName : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
