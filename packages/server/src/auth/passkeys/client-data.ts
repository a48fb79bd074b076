/**
 * Whether a browser says that its own page asked for the signature, and not a frame in a page of another site. Our pages cannot be framed, so
 * such a frame is not ours. The signature covers this text.
 */
export function isTopLevel(clientDataJson: string): boolean {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8'));
    return typeof data === 'object' && data !== null && !('crossOrigin' in data && data.crossOrigin === true);
  } catch {
    return false;
  }
}
