/** What handlers use of delivery, which may run in other processes. */
export interface Delivery {
  /** Has a worker look for deliveries that are due, as after an acceptance. */
  wake(): void;
}
