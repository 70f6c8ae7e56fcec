import type { Cluster } from './cluster.ts'
import { planMethod } from './plan-job.ts'
import { mayMethod } from './write/allowed.ts'
import { registerMethod } from './write/register-job.ts'
import { deregisterMethod } from './write/stop-job.ts'

/** What changes jobs. */
export const jobWriteMethods = (cluster: Cluster) => ({
  mayInNamespace: mayMethod(cluster),
  registerJob: registerMethod(cluster),
  planJob: planMethod(cluster),
  deregisterJob: deregisterMethod(cluster),
})
