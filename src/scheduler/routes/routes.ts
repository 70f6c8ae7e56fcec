import { aclRoutes } from './acl.ts'
import { agentRoutes } from './agent.ts'
import { clientRoutes } from './client.ts'
import type { SchedulerRoute } from './context.ts'
import { deploymentRoutes } from './deployments.ts'
import { evaluationRoutes } from './evaluations.ts'
import { eventRoutes } from './events.ts'
import { jobRoutes } from './jobs.ts'
import { judgeFirst } from './judge-first.ts'
import { listRoutes } from './lists.ts'
import { metricsRoutes } from './metrics.ts'
import { namespaceRoutes } from './namespaces.ts'
import { nodeRoutes } from './nodes.ts'
import { operatorRoutes } from './operator.ts'
import { parseRoutes } from './parse.ts'
import { poolRoutes } from './pools.ts'
import { runnerRoutes } from './runners.ts'
import { scalingRoutes } from './scaling.ts'
import { searchRoutes } from './search.ts'
import { submissionRoutes } from './submissions.ts'
import { systemRoutes } from './system.ts'
import { validateRoutes } from './validate.ts'
import { variableRoutes } from './variables.ts'
import { versionTagRoutes } from './version-tags.ts'

/** Every endpoint of the scheduler; those with bodies judge their callers first. */
export const schedulerRoutes: readonly SchedulerRoute[] = [
  ...poolRoutes,
  ...namespaceRoutes,
  ...listRoutes,
  ...evaluationRoutes,
  ...submissionRoutes,
  ...versionTagRoutes,
  ...jobRoutes,
  ...deploymentRoutes,
  ...nodeRoutes,
  ...searchRoutes,
  ...validateRoutes,
  ...parseRoutes,
  ...systemRoutes,
  ...operatorRoutes,
  ...aclRoutes,
  ...agentRoutes,
  ...eventRoutes,
  ...metricsRoutes,
  ...scalingRoutes,
  ...runnerRoutes,
  ...clientRoutes,
  ...variableRoutes,
].map(judgeFirst)
