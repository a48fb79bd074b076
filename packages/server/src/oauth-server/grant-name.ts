import { isUuid } from '../uuid-v7.ts';

/** The key that a grant is. */
export interface GrantName {
  readonly accountId: string;
  readonly keyId: string;
}

/** The subject of tokens in the library's terms. */
export function toSubject({ accountId, keyId }: GrantName): string {
  return `${accountId}/${keyId}`;
}

/** @throws if the text is no subject */
export function fromSubject(subject: unknown): GrantName {
  const [accountId = '', keyId = '', ...more] = typeof subject === 'string' ? subject.split('/') : [];
  if (!isUuid(accountId) || !isUuid(keyId) || more.length > 0) throw new Error('a token has no subject');
  return { accountId, keyId };
}
