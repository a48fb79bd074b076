/** Why the embedded PostgreSQL could not be used. `message` says what happened, `fix` what the person should do next. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly fix: string;

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.fix = fix;
  }
}

/** The way out that is open whatever went wrong here. */
export const USE_OWN_DATABASE = 'set DATABASE_URL to a PostgreSQL server of your own (15 or newer)';
