/** The id under which authenticators store a user: the bytes of our user id, which say nothing about the user. */
export function toUserHandle(userId: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(userId.replaceAll('-', ''), 'hex'));
}

export function isHandleOf(handle: string, userId: string): boolean {
  return Buffer.from(handle, 'base64url').equals(toUserHandle(userId));
}
