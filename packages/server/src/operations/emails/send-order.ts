import type { SendRequest, Source } from '@postrider/core';
import { fingerprintInSlices } from '../../sending/fingerprint-in-slices.ts';
import type { SendOrder } from '../../sending/send-messages.ts';
import type { CallContext } from '../context.ts';

/** The headers of a send that claim where it comes from. */
interface ProvenanceHeaders {
  readonly 'x-service-agent'?: string | undefined;
  readonly 'x-service-source'?: Source | undefined;
}

/** A send as REST and MCP bring it. `raw` is the request as given, before defaults: what its idempotency key stands for. */
export async function toSendOrder(
  request: SendRequest,
  raw: unknown,
  headers: ProvenanceHeaders,
  idempotencyKey: string | undefined,
  via: CallContext['via'],
): Promise<SendOrder> {
  return {
    request,
    // Over MCP the channel is a fact, not a claim.
    fixedChannel: via === 'mcp' ? 'mcp' : null,
    headerClaims: { source: headers['x-service-source'], agentName: headers['x-service-agent'] },
    idempotency:
      idempotencyKey === undefined ? null : { key: idempotencyKey, fingerprint: await fingerprintInSlices(raw) },
  };
}
