import { isIP } from 'node:net';
import { toAsciiDomain } from '@postrider/core/email-address';

/** A DNS list (RFC 5782), and what it lists. */
export interface BlocklistZone {
  readonly zone: string;
  readonly kind: 'ip' | 'domain';
}

export interface SpamdAddress {
  readonly host: string;
  readonly port: number;
}

type Refuse = (message: string) => void;

/** `zone=ip` or `zone=domain`, separated by commas, or `none`. */
export function readBlocklists(text: string, refuse: Refuse): readonly BlocklistZone[] {
  if (text === 'none') return [];
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.flatMap((entry) => {
    const [, name = '', kind] = /^([^=]+)=(ip|domain)$/.exec(entry) ?? [];
    const zone = toAsciiDomain(name);
    if (zone !== null && kind !== undefined) return [{ zone, kind: kind === 'ip' ? 'ip' : 'domain' }];
    refuse(`"${entry}" is neither zone=ip nor zone=domain`);
    return [];
  });
}

/** `host:port`, an IPv6 address in brackets, or `none`. */
export function readSpamd(text: string, refuse: Refuse): SpamdAddress | null {
  if (text === 'none') return null;
  const [, six, name, port] = /^(?:\[([^\]]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = six ?? name;
  const isHost = host !== undefined && (six === undefined || isIP(six) === 6);
  if (isHost && Number(port) >= 1 && Number(port) <= 65_535) return { host, port: Number(port) };
  refuse(`"${text}" is not host:port`);
  return null;
}
