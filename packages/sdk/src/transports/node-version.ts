/** The oldest Node that undici runs on: see `engines` in package.json. */
const OLDEST = [22, 19] as const;

/**
 * The reason why this runtime cannot send requests; null if it can. Other runtimes report a compatible Node version, which is not checked.
 */
export function explainOldNode(versions: Readonly<Record<string, string | undefined>>): string | null {
  const { node, bun, deno } = versions;
  if (node === undefined || bun !== undefined || deno !== undefined) return null;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return `@postrider/sdk needs Node ${OLDEST.join('.')} or newer, and this is Node ${node}. Update Node, or pass a \`transport\`.`;
}
