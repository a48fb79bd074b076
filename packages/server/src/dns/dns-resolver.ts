/** What a question to the DNS came to. */
export type DnsAnswer<Value> =
  /** At least one record. */
  | { readonly kind: 'found'; readonly values: readonly Value[] }
  /** The name is there and has no record of this type (RFC 2308 §2.2). */
  | { readonly kind: 'no-record' }
  /** There is no such name: NXDOMAIN. */
  | { readonly kind: 'no-name' }
  /** Nobody knows: SERVFAIL, a time-out, an answer that makes no sense, a loop of CNAMEs. Asking again later may help. `reason` is for people. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface MxRecord {
  /** The lower is tried first. */
  readonly priority: number;
  /** In lower case, without the dot at the end; empty for the null MX of RFC 7505. */
  readonly exchange: string;
}

/** The one port to the DNS. Names may be U-labels or A-labels, with or without a dot at the end. Nothing of it ever rejects. */
export interface DnsResolver {
  /** Each record's strings joined to one (RFC 7208 §3.3). */
  txt(name: string): Promise<DnsAnswer<string>>;
  /** By falling preference. */
  mx(name: string): Promise<DnsAnswer<MxRecord>>;
  a(name: string): Promise<DnsAnswer<string>>;
  aaaa(name: string): Promise<DnsAnswer<string>>;
  /** The names of an address, v4 or v6. */
  ptr(address: string): Promise<DnsAnswer<string>>;
  cname(name: string): Promise<DnsAnswer<string>>;
  ns(name: string): Promise<DnsAnswer<string>>;
  /** The same resolver without what it remembers: for a person who has just changed a record and asks again. */
  fresh(): DnsResolver;
  /**
   * The same resolver for these names alone. Other names do not exist for it, and neither does what a CNAME to one of them leads to: our name
   * servers follow CNAMEs, and may know of machines inside.
   */
  only(isAllowed: (name: string) => boolean): DnsResolver;
}
