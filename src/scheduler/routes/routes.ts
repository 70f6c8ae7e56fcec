import { aclRoutes } from './acl.ts'
import { agentRoutes } from './agent.ts'
import type { SchedulerRoute } from './context.ts'
import { deploymentRoutes } from './deployments.ts'
import { evaluationRoutes } from './evaluations.ts'
import { jobRoutes } from './jobs.ts'
import { judgeFirst } from './judge-first.ts'
import { listRoutes } from './lists.ts'
import { nodeRoutes } from './nodes.ts'
import { operatorRoutes } from './operator.ts'
import { parseRoutes } from './parse.ts'
import { poolRoutes } from './pools.ts'
import { searchRoutes } from './search.ts'
import { systemRoutes } from './system.ts'
import { validateRoutes } from './validate.ts'

/** Every endpoint of the scheduler; those with bodies judge their callers first. */
export const schedulerRoutes: readonly SchedulerRoute[] = [
  ...poolRoutes,
  ...listRoutes,
  ...evaluationRoutes,
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
].map(judgeFirst)
