import { type JsonSchema, OPERATIONS, toOpenApi } from '@postrider/core';
import { stringify } from 'yaml';
import type { Handler, Services } from '../context.ts';

/** The OpenAPI document of the running server. */
export const getOpenApiJson: Handler<'service.openapi-json'> = (_input, { services }) =>
  Promise.resolve({ body: documentOf(services) });

export const getOpenApiYaml: Handler<'service.openapi-yaml'> = (_input, { services }) =>
  Promise.resolve({ body: stringify(documentOf(services), { aliasDuplicateObjects: false }) });

function documentOf({ version, baseUrl }: Services): JsonSchema {
  return toOpenApi(OPERATIONS, { version, serverUrl: baseUrl });
}
