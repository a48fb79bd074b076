import type { SendRequest, Source } from '@postrider/core';
import { fingerprintInSlices } from '../../sending/fingerprint-in-slices.ts';
import type { SendInput } from '../../sending/parsed-send.ts';
import type { CallContext } from '../context.ts';

/** The headers of a send that claim its provenance. */
interface ProvenanceHeaders {
  readonly 'x-service-agent'?: string | undefined;
  readonly 'x-service-source'?: Source | undefined;
}

/**
 * A send over REST or MCP.
 * @param raw the request before defaults, which its idempotency key is compared by
 */
export async function toSendInput(
  request: SendRequest,
  raw: unknown,
  headers: ProvenanceHeaders,
  idempotencyKey: string | undefined,
  via: CallContext['via'],
): Promise<SendInput> {
  return {
    request,
    // Over MCP the channel is a fact, not a claim.
    fixedChannel: via === 'mcp' ? 'mcp' : null,
    headerClaims: { source: headers['x-service-source'], agentName: headers['x-service-agent'] },
    idempotency:
      idempotencyKey === undefined ? null : { key: idempotencyKey, fingerprint: await fingerprintInSlices(raw) },
  };
}
