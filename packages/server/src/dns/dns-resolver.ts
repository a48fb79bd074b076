/** The result of a DNS query. */
export type DnsResult<Value> =
  /** At least one record. */
  | { readonly kind: 'found'; readonly values: readonly Value[] }
  /** The name exists and has no record of this type (RFC 2308 §2.2). */
  | { readonly kind: 'no-record' }
  /** The name does not exist: NXDOMAIN. */
  | { readonly kind: 'no-name' }
  /** Unknown: SERVFAIL, a timeout, an invalid response, a loop of CNAMEs. A later retry may help. `reason` is for users. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface MxRecord {
  /** Lower values are tried first. */
  readonly priority: number;
  /** In lowercase, without the trailing dot; empty for the null MX of RFC 7505. */
  readonly exchange: string;
}

/** The only interface to DNS. Names may be U-labels or A-labels, with or without a trailing dot. No method ever rejects. */
export interface DnsResolver {
  /** The strings of each record, joined (RFC 7208 §3.3). */
  txt(name: string): Promise<DnsResult<string>>;
  /** The most preferred first. */
  mx(name: string): Promise<DnsResult<MxRecord>>;
  a(name: string): Promise<DnsResult<string>>;
  aaaa(name: string): Promise<DnsResult<string>>;
  /** The names of an IPv4 or IPv6 address. */
  ptr(address: string): Promise<DnsResult<string>>;
  cname(name: string): Promise<DnsResult<string>>;
  ns(name: string): Promise<DnsResult<string>>;
  /** The same resolver without its cache: for a user who has just changed a record and checks again. */
  fresh(): DnsResolver;
  /**
   * The same resolver limited to these names. For it, other names do not exist, and neither do the targets of CNAMEs to
   * them: our name servers follow CNAMEs and may know internal machines.
   */
  only(isAllowed: (name: string) => boolean): DnsResolver;
}
