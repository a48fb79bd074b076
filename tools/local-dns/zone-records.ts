/** One record of a zone file, as a codec takes it. */
export interface ZoneRecord {
  /** In lower case, without the dot at the end. */
  readonly name: string;
  readonly type: 'TXT' | 'MX';
  readonly ttl: number;
  /** The strings of a TXT record, or where an MX record leads. */
  readonly data: readonly string[] | { readonly preference: number; readonly exchange: string };
}

const LINE = /^(\S+)\s+(\d+)\s+IN\s+(TXT|MX)\s+(.+)$/;
const QUOTED = /"((?:[^"\\]|\\.)*)"/g;

/** The records of a zone file in the form that `postrider domains records --zone` writes: one a line, names absolute. */
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
