import type { Takes } from '../../operation/arguments.ts'
import { methodInputs as takes } from './method-inputs.ts'
import type { Methods } from './methods.ts'

/** What every method takes: by name, so that none is forgotten. */
const inputs: Readonly<Record<keyof Methods, Takes>> = {
  listPools: takes.list,
  readPool: takes.byName,
  mayWritePool: takes.byName,
  upsertPool: takes.pool,
  deletePool: takes.byName,
  listNodes: takes.list,
  listPoolNodes: takes.byName,
  readNode: takes.byId,
  listJobs: takes.list,
  listPoolJobs: takes.byName,
  readJob: takes.byId,
  readJobSummary: takes.byId,
  listDeployments: takes.list,
  readDeployment: takes.byId,
  listAllocations: takes.list,
  readAllocation: takes.byId,
  listEvaluations: takes.list,
  readEvaluation: takes.byId,
  listNodeAllocations: takes.byId,
  listPolicies: takes.list,
  readPolicy: takes.byName,
  upsertPolicy: takes.policy,
  deletePolicy: takes.byName,
  bootstrapAcl: takes.nothing,
  listTokens: takes.list,
  readToken: takes.byId,
  writeToken: takes.token,
  deleteToken: takes.byId,
  listMembers: takes.list,
  readLeader: takes.nothing,
  listPeers: takes.nothing,
  listRegions: takes.nothing,
  listJobVersions: takes.byId,
  listJobAllocations: takes.byId,
  listJobEvaluations: takes.byId,
  listJobDeployments: takes.byId,
  readJobDeployment: takes.byId,
  mayInNamespace: takes.capability,
  registerJob: takes.job,
  planJob: takes.job,
  deregisterJob: takes.byId,
  dispatchJob: takes.dispatch,
  forcePeriodicJob: takes.byId,
  evaluateJob: takes.byId,
  revertJob: takes.revert,
  markJobStable: takes.stable,
  scaleJob: takes.scale,
  readJobScale: takes.byId,
  readAgent: takes.list,
  listEvaluationAllocations: takes.byId,
  listDeploymentAllocations: takes.byId,
  pauseDeployment: takes.pause,
  failDeployment: takes.byId,
  promoteDeployment: takes.promote,
  setAllocationHealth: takes.health,
  unblockDeployment: takes.byId,
  registerNode: takes.node,
  heartbeatNode: takes.byId,
  moveNode: takes.move,
  drainNode: takes.drain,
  setNodeEligibility: takes.eligibility,
  evaluateNode: takes.byId,
  purgeNode: takes.byId,
  updateAllocations: takes.updates,
  stopAllocation: takes.byId,
  search: takes.byPrefix,
  validateJob: takes.job,
  collectGarbage: takes.list,
  checkSummaries: takes.list,
  searchFuzzy: takes.byPrefix,
  readSchedulerConfiguration: takes.list,
  writeSchedulerConfiguration: takes.configuration,
}

/** Every method, each made when the table is. */
export function deferredMethods(
  deferred: <Name extends keyof Methods>(name: Name, takes: Takes) => Methods[Name],
): Methods {
  const methods: { [Name in keyof Methods]?: Methods[Name] } = {}
  const add = <Name extends keyof Methods>(name: Name) => {
    methods[name] = deferred(name, inputs[name])
  }
  for (const name in inputs) add(name as keyof Methods)
  return methods as Methods
}
