import type { Channel, Source } from '@postrider/core';

/** The sources of a message's provenance, highest rank first. */
export interface ProvenanceClaims {
  readonly body: {
    readonly channel?: Channel | undefined;
    readonly source?: Source | undefined;
    readonly agentName?: string | undefined;
  };
  readonly headers: { readonly source?: Source | undefined; readonly agentName?: string | undefined };
  readonly persona: { readonly source: Source | null; readonly agentName: string | null };
  /** Set by callers with a fixed channel (MCP, SMTP); the client's own claim is ignored there. */
  readonly fixedChannel: Channel | null;
}

export interface Provenance {
  readonly channel: Channel;
  readonly source: Source;
  readonly agentName: string | null;
}

/** The provenance claims of one send. */
export interface ClaimingSend extends Pick<ProvenanceClaims, 'fixedChannel'> {
  /** The key that it is issued under. */
  readonly sender: Pick<ProvenanceClaims, 'persona'>;
  readonly request: {
    readonly channel?: Channel | undefined;
    readonly source?: Source | undefined;
    readonly agent_name?: string | undefined;
  };
  readonly headerClaims: ProvenanceClaims['headers'];
}

export function provenanceOf({ request, headerClaims, sender, fixedChannel }: ClaimingSend): Provenance {
  const body = { channel: request.channel, source: request.source, agentName: request.agent_name };
  return resolveProvenance({ body, headers: headerClaims, persona: sender.persona, fixedChannel });
}

/** Resolves provenance: the body, then the headers, then the key's persona, then the default (`agent` over MCP, else `backend`). */
export function resolveProvenance({ body, headers, persona, fixedChannel }: ProvenanceClaims): Provenance {
  const channel = fixedChannel ?? body.channel ?? 'api';
  return {
    channel,
    source: body.source ?? headers.source ?? persona.source ?? (channel === 'mcp' ? 'agent' : 'backend'),
    agentName: body.agentName ?? headers.agentName ?? persona.agentName,
  };
}
