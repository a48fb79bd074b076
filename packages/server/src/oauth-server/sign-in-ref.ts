import { isUuid } from '../uuid-v7.ts';

/** A sign-in of a program: the key that it uses, and which of the sign-ins with that key it is. */
export interface SignInRef {
  readonly accountId: string;
  readonly keyId: string;
  readonly signIn: number;
}

/** The id of the grant, and the subject of its tokens, in the library’s terms. */
export function toGrantId({ accountId, keyId, signIn }: SignInRef): string {
  return `${accountId}/${keyId}/${signIn}`;
}

/** Null if the text is no id of a grant. */
export function fromGrantId(id: unknown): SignInRef | null {
  const [accountId = '', keyId = '', number = '', ...more] = typeof id === 'string' ? id.split('/') : [];
  if (!isUuid(accountId) || !isUuid(keyId) || !/^\d{1,9}$/.test(number) || more.length > 0) return null;
  return { accountId, keyId, signIn: Number(number) };
}
