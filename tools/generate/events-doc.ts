import {
  CLASSIFICATIONS,
  describeEventType,
  eventSchemaName,
  MESSAGE_EVENT_TYPES,
  MESSAGE_STATUSES,
  WEBHOOK_EVENT_NAMES,
  WEBHOOK_EVENT_SCHEMAS,
  type WebhookEventType,
} from '@postrider/core';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';
import type { OpenApiDocument, SchemaNode } from './openapi-document.ts';
import { modelName, resolveSchema } from './openapi-document.ts';

/** docs/events.md: the statuses, events and bounce classifications of messages, and the events that webhook endpoints receive. */
export function renderEventsDoc(document: OpenApiDocument): string {
  return `${MARKDOWN_NOTICE}

# Statuses and events

## Statuses

\`status\` is the current status of a message. Opens and clicks are events, never statuses.

${renderNames('status', MESSAGE_STATUSES)}

## Events

\`events\` is the event log of a message, oldest first. An event names the recipient that it is about; without one, it is about
the whole message.

${renderNames('type', MESSAGE_EVENT_TYPES)}

## Classifications

\`classification\` says why a message bounced or was reported as spam. It is null for every other event.

${renderNames('classification', CLASSIFICATIONS)}

## Webhook events

Webhook endpoints receive these events ([webhooks.md](webhooks.md) explains how). Every payload is
\`{id, type, createdAt, apiVersion, data}\`. \`id\` is the same at every attempt and replay; for an event of a message, it is the
id in \`events\`. The JSON Schemas are in the OpenAPI document, under \`webhooks\` and by the names in the last column.

${renderTable(
  ['type', 'when', '`data`', 'schema'],
  WEBHOOK_EVENT_NAMES.map((type) => [
    `\`${type}\``,
    describeEventType(type),
    dataName(type, document),
    `\`${eventSchemaName(type)}\``,
  ]),
)}

${[...new Set([...WEBHOOK_EVENT_SCHEMAS.keys()].map((type) => dataName(type, document)))]
  .map((name) => renderData(name.replaceAll('`', ''), document))
  .join('\n\n')}
`;
}

function dataName(type: WebhookEventType, { components }: OpenApiDocument): string {
  const data = components.schemas[eventSchemaName(type)]?.properties?.['data'] ?? {};
  return `\`${modelName(data) ?? 'object'}\``;
}

/** The fields of one kind of `data`. */
function renderData(name: string, document: OpenApiDocument): string {
  const fields = Object.entries(document.components.schemas[name]?.properties ?? {});
  return `### ${name}

${renderTable(
  ['field', 'type', 'meaning'],
  fields.map(([field, schema]) => [`\`${field}\``, typeName(schema), describe(schema, document)]),
)}`;
}

function describe(schema: SchemaNode, document: OpenApiDocument): string {
  return schema.description ?? resolveSchema(schema, document).description ?? '';
}

function typeName(schema: SchemaNode): string {
  const model = modelName(schema);
  if (model !== null) return `\`${model}\``;
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeName))].join(' or ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.type === 'array') return `list of ${typeName(schema.items ?? {})}`;
  return [schema.type ?? 'any'].flat().join(' or ');
}

function renderNames(heading: string, meanings: Readonly<Record<string, string>>): string {
  return renderTable(
    [heading, 'meaning'],
    Object.entries(meanings).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );
}
