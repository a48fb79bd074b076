import { LIMITS } from '@postrider/core';
import type { PageRoute } from '../../console-page.ts';
import { texts } from '../../page-query.ts';
import { comparePage } from './compare-page.ts';
import { createTemplate, newTemplatePage, previewNew } from './create-page.ts';
import { editPage, previewEdit, saveEdit } from './edit-page.ts';
import { TEMPLATES_PATH as PATH } from './paths.ts';
import { frameOfForm, frameOfVersion } from './preview-frame.ts';
import { deleteTemplate, rollBack, testTemplate } from './template-actions.ts';
import { listPage } from './template-list-page.ts';
import { templatePage } from './template-page.ts';
import { versionPage } from './version-page.ts';

/** A form has both bodies and the sample values. */
const formBytes = LIMITS.templateBodyBytes;

export const TEMPLATE_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: 'templates.list', query: texts(['cursor']), run: listPage },
  { method: 'GET', path: `${PATH}/create`, needs: 'templates.create', run: newTemplatePage },
  { method: 'POST', path: `${PATH}/create`, needs: 'templates.create', formBytes, run: createTemplate },
  { method: 'POST', path: `${PATH}/preview`, needs: 'templates.create', formBytes, isRead: true, run: previewNew },
  { method: 'POST', path: `${PATH}/frame`, needs: 'templates.preview', formBytes, isRead: true, run: frameOfForm },
  { method: 'GET', path: `${PATH}/:id`, needs: 'templates.get', run: (request) => templatePage(request) },
  { method: 'GET', path: `${PATH}/:id/edit`, needs: 'templates.update', run: editPage },
  { method: 'POST', path: `${PATH}/:id/edit`, needs: 'templates.update', formBytes, run: saveEdit },
  { method: 'POST', path: `${PATH}/:id/preview`, needs: 'templates.update', formBytes, isRead: true, run: previewEdit },
  {
    method: 'GET',
    path: `${PATH}/:id/frame`,
    needs: 'templates.render',
    query: texts(['version']),
    run: frameOfVersion,
  },
  {
    method: 'GET',
    path: `${PATH}/:id/versions/:version`,
    needs: 'templates.get',
    run: (request) => versionPage(request),
  },
  {
    method: 'GET',
    path: `${PATH}/:id/compare`,
    needs: 'templates.get',
    query: texts(['from', 'to']),
    run: comparePage,
  },
  { method: 'POST', path: `${PATH}/:id/rollback`, needs: 'templates.update', run: rollBack },
  { method: 'POST', path: `${PATH}/:id/test`, needs: 'templates.test', formBytes, run: testTemplate },
  { method: 'POST', path: `${PATH}/:id/delete`, needs: 'templates.delete', run: deleteTemplate },
];
