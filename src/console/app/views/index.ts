import type { AnyComponent } from 'preact'
import lazy from 'preact-iso/lazy'
import type { ServiceName } from '../data/services.ts'

/** A view: its path, and the service that it needs. */
export interface View {
  readonly path: string
  readonly service?: ServiceName
  readonly component: AnyComponent
}

/** Every view of the console. Each is loaded when it is first shown. */
export const views: readonly View[] = [
  { path: '/', component: lazy(() => import('./start.tsx')) },
  { path: '/sign-in', service: 'registry', component: lazy(() => import('./sign-in.tsx')) },
  { path: '/gateway', service: 'gateway', component: lazy(() => import('./gateway/gateway.tsx')) },
  { path: '/scheduler', service: 'scheduler', component: lazy(() => import('./scheduler/jobs.tsx')) },
  { path: '/scheduler/jobs', service: 'scheduler', component: lazy(() => import('./scheduler/jobs.tsx')) },
  { path: '/scheduler/jobs/:id', service: 'scheduler', component: lazy(() => import('./scheduler/job.tsx')) },
  { path: '/scheduler/run', service: 'scheduler', component: lazy(() => import('./scheduler/run.tsx')) },
  { path: '/scheduler/nodes', service: 'scheduler', component: lazy(() => import('./scheduler/nodes.tsx')) },
  {
    path: '/scheduler/nodes/:id',
    service: 'scheduler',
    component: lazy(() => import('./scheduler/node.tsx')),
  },
  {
    path: '/scheduler/allocations/:id',
    service: 'scheduler',
    component: lazy(() => import('./scheduler/allocation.tsx')),
  },
  {
    path: '/scheduler/allocations',
    service: 'scheduler',
    component: lazy(() => import('./scheduler/allocations.tsx')),
  },
  {
    path: '/scheduler/evaluations',
    service: 'scheduler',
    component: lazy(() => import('./scheduler/evaluations.tsx')),
  },
  {
    path: '/scheduler/evaluations/:id',
    service: 'scheduler',
    component: lazy(() => import('./scheduler/evaluation.tsx')),
  },
  {
    path: '/scheduler/deployments',
    service: 'scheduler',
    component: lazy(() => import('./scheduler/deployments.tsx')),
  },
  ...(['secrets', 'scheduler', 'catalog', 'registry'] as const).map((service) => ({
    path: `/${service}/-/:kind`,
    service,
    component: lazy(() => import('./administration/administration.tsx')),
  })),
  { path: '/secrets', service: 'secrets', component: lazy(() => import('./secrets/secrets.tsx')) },
  {
    path: '/secrets/oidc/callback',
    service: 'secrets',
    component: lazy(() => import('./secrets/oidc-callback.tsx')),
  },
  { path: '/secrets/policies', service: 'secrets', component: lazy(() => import('./secrets/policies.tsx')) },
  { path: '/secrets/tokens', service: 'secrets', component: lazy(() => import('./secrets/tokens.tsx')) },
  {
    path: '/secrets/browse/:path+',
    service: 'secrets',
    component: lazy(() => import('./secrets/browse.tsx')),
  },
  { path: '/catalog', service: 'catalog', component: lazy(() => import('./catalog/boxes.tsx')) },
  {
    path: '/catalog/:user/:name',
    service: 'catalog',
    component: lazy(() => import('./catalog/box-view.tsx')),
  },
  { path: '/registry', service: 'registry', component: lazy(() => import('./registry/modules.tsx')) },
  {
    path: '/registry/:namespace/:name/:provider',
    service: 'registry',
    component: lazy(() => import('./registry/module-view.tsx')),
  },
]
