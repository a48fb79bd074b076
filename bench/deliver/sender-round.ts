/** What one round of handing messages over took. */
export interface SenderRound {
  readonly seconds: number;
  /** Of the sending process, with every thread it has. */
  readonly cpuMs: number;
  readonly rssMb: number;
}

/** The one key that both senders sign with. */
export interface ShopKey {
  readonly domain: string;
  readonly selector: string;
  readonly privateKeyPem: string;
  readonly publicKeyBase64: string;
}
