import { type JsonSchema, OPERATIONS, toOpenApi } from '@postrider/core';
import { stringify } from 'yaml';
import type { Handler, Services } from '../context.ts';
import { keepJson } from '../ready-json.ts';

/** The OpenAPI document of the running server. */
export const getOpenApiJson: Handler<'service.openapi-json'> = (_input, { services }) =>
  Promise.resolve({ body: documentOf(services).json });

export const getOpenApiYaml: Handler<'service.openapi-yaml'> = (_input, { services }) =>
  Promise.resolve({ body: documentOf(services).yaml });

interface Rendered {
  readonly json: JsonSchema;
  readonly yaml: string;
}

const rendered = new Map<string, Rendered>();

/** Made once, because it takes some 200 ms and no key is needed to ask for it. It depends on nothing but the address. */
function documentOf({ version, baseUrl }: Services): Rendered {
  const former = rendered.get(baseUrl);
  if (former !== undefined) return former;
  const json = keepJson(toOpenApi(OPERATIONS, { version, serverUrl: baseUrl }));
  const document: Rendered = {
    json,
    get yaml() {
      const yaml = stringify(json, { aliasDuplicateObjects: false });
      Object.defineProperty(this, 'yaml', { value: yaml });
      return yaml;
    },
  };
  rendered.set(baseUrl, document);
  return document;
}
