import type { PageRoute } from '../../console-page.ts';
import { texts } from '../../page-query.ts';
import { DELIVERIES_QUERY, deliveriesPage } from './deliveries-page.ts';
import { deliveryPage } from './delivery-page.ts';
import { deleteEndpoint, retryDelivery, rotateSecret, setStatus, testEndpoint } from './endpoint-actions.ts';
import { changeEndpoint, createEndpoint, editPage, NEW_ENDPOINT_QUERY, newEndpointPage } from './endpoint-changes.ts';
import { listPage } from './endpoint-list-page.ts';
import { endpointPage } from './endpoint-page.ts';
import { WEBHOOKS_PATH as PATH } from './paths.ts';
import { replay, replayPage } from './replay-page.ts';

export const WEBHOOK_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: 'webhooks.list', query: texts(['cursor']), run: listPage },
  { method: 'GET', path: `${PATH}/create`, needs: 'webhooks.create', query: NEW_ENDPOINT_QUERY, run: newEndpointPage },
  { method: 'POST', path: `${PATH}/create`, needs: 'webhooks.create', run: createEndpoint },
  { method: 'GET', path: `${PATH}/:id`, needs: 'webhooks.get', run: (request) => endpointPage(request) },
  { method: 'GET', path: `${PATH}/:id/edit`, needs: 'webhooks.update', run: editPage },
  { method: 'POST', path: `${PATH}/:id/edit`, needs: 'webhooks.update', run: changeEndpoint },
  { method: 'POST', path: `${PATH}/:id/status`, needs: 'webhooks.update', run: setStatus },
  { method: 'POST', path: `${PATH}/:id/test`, needs: 'webhooks.test', run: testEndpoint },
  { method: 'POST', path: `${PATH}/:id/rotate`, needs: 'webhooks.rotate', run: rotateSecret },
  { method: 'POST', path: `${PATH}/:id/delete`, needs: 'webhooks.delete', run: deleteEndpoint },
  { method: 'GET', path: `${PATH}/:id/replay`, needs: 'webhooks.replay', run: replayPage },
  { method: 'POST', path: `${PATH}/:id/replay`, needs: 'webhooks.replay', run: replay },
  {
    method: 'GET',
    path: `${PATH}/:id/deliveries`,
    needs: 'webhooks.deliveries',
    query: DELIVERIES_QUERY,
    run: deliveriesPage,
  },
  {
    ...{ method: 'GET', path: `${PATH}/:id/deliveries/:deliveryId`, needs: 'webhooks.delivery' },
    run: (request) => deliveryPage(request, null),
  },
  { method: 'POST', path: `${PATH}/:id/deliveries/:deliveryId/retry`, needs: 'webhooks.retry', run: retryDelivery },
];
