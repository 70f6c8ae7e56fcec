import { viewPath } from '../../data/base-path.ts'

const inNamespace = (namespace: string): string =>
  namespace === 'default' ? '' : `?namespace=${encodeURIComponent(namespace)}`

/** The paths of the views of jobs, nodes and so on. */
export const jobLink = (id: string, namespace: string): string =>
  viewPath(`/scheduler/jobs/${encodeURIComponent(id)}${inNamespace(namespace)}`)
/** The path of the job editor. */
export const changeLink = (id: string, namespace: string): string =>
  viewPath(`/scheduler/run?${new URLSearchParams({ job: id, namespace })}`)
export const nodeLink = (id: string): string => viewPath(`/scheduler/nodes/${id}`)
export const allocationLink = (id: string): string => viewPath(`/scheduler/allocations/${id}`)
export const evaluationLink = (id: string): string => viewPath(`/scheduler/evaluations/${id}`)
/** The path of the list with one deployment. */
export const deploymentLink = (id: string): string =>
  viewPath(`/scheduler/deployments?${new URLSearchParams({ filter: `ID == "${id}"` })}`)

/** The path of a job in the API; IDs may hold slashes. */
export const jobPath = (id: string, rest = ''): string => `/v1/job/${encodeURIComponent(id)}${rest}`
