/** The only platform global the contract uses; all supported runtimes have it. */
declare class URL {
  static parse(url: string): URL | null;
  readonly hostname: string;
}
