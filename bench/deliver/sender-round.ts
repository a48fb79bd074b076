/** The measurements of one sending round. */
export interface SenderRound {
  readonly seconds: number;
  /** CPU time of the sending process, all threads included. */
  readonly cpuMs: number;
  readonly rssMb: number;
}

/** The key that both senders sign with. */
export interface ShopKey {
  readonly domain: string;
  readonly selector: string;
  readonly privateKeyPem: string;
  readonly publicKeyBase64: string;
}
