import { connectTo } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { CliFailure, ownFailure } from '../failure.ts';
import type { GlobalOptions } from '../global-options.ts';
import { isRecord } from '../output/json-value.ts';

/** The metadata by which clients find out where to sign in (RFC 9728). */
const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';
const OR_KEY = 'Or pass --key to write an API key into the settings instead.';

/**
 * The address of the MCP server at which programs sign in, as the server reports it. Rejects with a CliFailure if the server cannot be
 * reached, has no sign-in for programs, or goes by another address, which clients would refuse.
 */
export async function findMcpUrl(baseUrl: string, options: GlobalOptions, io: CliIo): Promise<string> {
  const url = URL.parse(`${baseUrl}/mcp`)?.href;
  const resource = await readResource(baseUrl, options, io);
  if (resource !== null && resource === url) return url;
  if (resource === null) {
    const detail = `the server at ${baseUrl} does not let programs sign in`;
    throw noSignIn(detail, `Check that --base-url is the address of a current Postrider server. ${OR_KEY}`);
  }
  const named = resource.replace(/\/mcp$/, '');
  const detail = `the server at ${baseUrl} goes by the address ${named}, and clients sign in only there`;
  throw noSignIn(detail, `Pass --base-url ${named}. ${OR_KEY}`);
}

/** The address that the server has in its metadata; null if it has none. */
async function readResource(baseUrl: string, options: GlobalOptions, io: CliIo): Promise<string | null> {
  try {
    // No key: the address may belong to another server.
    const { data } = await connectTo({ apiKey: null, baseUrl }, options, io).request({
      method: 'GET',
      path: METADATA_PATH,
    });
    const resource = isRecord(data) && typeof data['resource'] === 'string' ? URL.parse(data['resource']) : null;
    return resource?.href ?? null;
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    if (error.problem.status !== null) return null;
    const { problem } = error;
    throw new CliFailure(error.exitCode, { ...problem, fix: `${problem.fix ?? ''} ${OR_KEY}`.trim() });
  }
}

function noSignIn(detail: string, fix: string): CliFailure {
  return ownFailure(EXIT_CODES.refused, 'no_sign_in', 'Clients cannot sign in here', detail, fix);
}
