import { OPERATIONS } from '@postrider/core';
import type { Handler } from '../context.ts';

/** The service document. Its endpoints are read from the registry. */
export const getServiceInformation: Handler<'service.information'> = (_input, { services: { installation } }) =>
  Promise.resolve({
    body: {
      service: 'Postrider',
      status: 'ok',
      docs: `${installation.baseUrl}/reference`,
      endpoints: {
        ...Object.fromEntries(OPERATIONS.map(({ id, method, path }) => [purposeOf(id), `${method} ${path}`])),
        reference: 'GET /reference',
      },
      note: 'Every response carries an x-request-id header; quote it when you report a problem.',
    },
  });

/** `emails.send` becomes `emailsSend`: resource and verb, in the form of the API's other keys. */
function purposeOf(id: string): string {
  const [resource = '', verb = ''] = id.split('.');
  const name = resource === 'service' ? verb : `${resource}-${verb}`;
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
