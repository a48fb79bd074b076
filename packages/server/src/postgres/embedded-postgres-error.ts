/** Why the embedded PostgreSQL could not be used. `message` says what happened, `fix` what the user should do next. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly fix: string;

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.fix = fix;
  }
}

/** The alternative that always works. */
export const USE_OWN_DATABASE = 'set DATABASE_URL to your own PostgreSQL server (15 or newer)';
