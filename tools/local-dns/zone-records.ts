/** One record of a zone file, in the form of the DNS codec. */
export interface ZoneRecord {
  /** In lower case, without the final dot. */
  readonly name: string;
  readonly type: 'TXT' | 'MX';
  readonly ttl: number;
  /** The strings of a TXT record, or the host of an MX record. */
  readonly data: readonly string[] | { readonly preference: number; readonly exchange: string };
}

const LINE = /^(\S+)\s+(\d+)\s+IN\s+(TXT|MX)\s+(.+)$/;
const QUOTED = /"((?:[^"\\]|\\.)*)"/g;

/** Parses the zone file format of `postrider domains records --zone`: one record per line, with absolute names. */
export function readZoneRecords(zone: string): readonly ZoneRecord[] {
  return zone.split('\n').flatMap((line): ZoneRecord[] => {
    const [, name = '', ttl = '', type, data = ''] = LINE.exec(line.trim()) ?? [];
    const common = { name: withoutDot(name).toLowerCase(), ttl: Number(ttl) };
    if (type === 'TXT') return [{ ...common, type, data: stringsOf(data) }];
    if (type !== 'MX') return [];
    const [preference = '', exchange = ''] = data.split(/\s+/);
    return [{ ...common, type, data: { preference: Number(preference), exchange: withoutDot(exchange) } }];
  });
}

function stringsOf(data: string): readonly string[] {
  return [...data.matchAll(QUOTED)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

function withoutDot(name: string): string {
  return name.replace(/\.$/, '');
}
