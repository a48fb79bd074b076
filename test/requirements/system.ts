import { requirement, section } from './requirement.ts';

export const health = section('Health', [
  requirement('health.liveness', '`GET /health`: liveness. Bodies: not specified.'),
  requirement('health.liveness-fields', '`/health` 200 `{status,version}`.'),
  requirement('health.readiness', '`GET /health/ready`: readiness. Bodies: not specified.'),
  requirement(
    'health.readiness-fields',
    '`/health/ready` 200 or 503 `{status,checks:{database,queue,transport}}` with reasons.',
  ),
]);

export const mcp = section('MCP', [
  requirement('mcp.endpoint', '`POST /mcp`: MCP server: a streamable JSON-RPC 2.0 endpoint.'),
  requirement('mcp.key', '`POST /mcp`: authenticated by API key.'),
  requirement('mcp.bodies', 'Request and response bodies: not specified.'),
  requirement(
    'mcp.sessions-notified',
    'A client of a 2025 revision over HTTP is notified of the decision about a held send within a second, without polling, and is asked to open its approval page.',
  ),
  requirement(
    'mcp.sessions-fleet',
    'Any process serves any request of a session. What changes while no stream is open is notified on the next one, and what was lost on the way is repeated after `Last-Event-ID`.',
  ),
  requirement(
    'mcp.sessions-key',
    'A session belongs to the key that opened it: to other keys it is unknown. Its streams end within a second when the key is revoked or narrowed.',
  ),
  requirement(
    'mcp.sessions-bounded',
    'Opening sessions stores nothing. Subscriptions, sessions with subscriptions and streams are limited, so that a key cannot harm others.',
  ),
  requirement('mcp.sessions-optional', 'Requests without a session are served without one.'),
]);
