/** The one platform global the contract uses beside the language itself; every runtime that runs it has it. */
declare class URL {
  static parse(url: string): URL | null;
  readonly hostname: string;
}
