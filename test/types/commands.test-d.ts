import type { Env } from 'plinth'
import * as acl from 'plinth/acl'
import * as catalog from 'plinth/catalog'
import * as gateway from 'plinth/gateway'
import * as idp from 'plinth/idp'
import * as kv from 'plinth/kv'
import * as registry from 'plinth/registry'
import * as scheduler from 'plinth/scheduler'
import * as tokens from 'plinth/tokens'
import { expectType } from 'tsd'

/** What can be called with a state, an input and an environment: nothing more is required. */
type Command = (state: never, input: never, env: Env) => { readonly ok: boolean }

// Every command of every engine has one shape, and a policy that it can do without.
const commands = {
  acl: [acl.writePolicy],
  catalog: [
    catalog.attachAsset,
    catalog.createBox,
    catalog.createProvider,
    catalog.createVersion,
    catalog.deleteProvider,
    catalog.finalizeUpload,
    catalog.logIn,
    catalog.releaseVersion,
    catalog.requestCode,
    catalog.requestUpload,
    catalog.revokeVersion,
    catalog.saveOrganization,
    catalog.saveUser,
    catalog.spendTry,
    catalog.storeUpload,
    catalog.updateBox,
    catalog.updateProfile,
    catalog.updateProvider,
    catalog.updateVersion,
  ],
  gateway: [
    gateway.countConnection,
    gateway.endGrace,
    gateway.finishShutdown,
    gateway.moveConnection,
    gateway.signalShutdown,
    gateway.startWorker,
    gateway.stopWorker,
  ],
  idp: [idp.continueLogin, idp.startLogin, idp.writeIdpConfig, idp.writeIdpGroup, idp.writeIdpUser],
  kv: [
    kv.configureKv,
    kv.deleteVersions,
    kv.destroyVersions,
    kv.patchMetadata,
    kv.patchSecret,
    kv.undeleteVersions,
    kv.writeEntry,
    kv.writeMetadata,
    kv.writeSecret,
  ],
  registry: [
    registry.countDownloads,
    registry.publishModule,
    registry.publishVersion,
    registry.removeVersion,
    registry.renameModule,
  ],
  scheduler: [
    scheduler.bootstrapAcl,
    scheduler.cancelDeployment,
    scheduler.completeDrain,
    scheduler.createToken,
    scheduler.deletePolicy,
    scheduler.deletePool,
    scheduler.deleteToken,
    scheduler.dispatchJob,
    scheduler.drainNode,
    scheduler.failDeployment,
    scheduler.launchPeriodicJob,
    scheduler.moveAllocation,
    scheduler.moveEvaluation,
    scheduler.moveNode,
    scheduler.pauseDeployment,
    scheduler.promoteDeployment,
    scheduler.registerJob,
    scheduler.registerNode,
    scheduler.scaleJob,
    scheduler.setEligibility,
    scheduler.stopAllocation,
    scheduler.stopJob,
    scheduler.trackDeployment,
    scheduler.updateToken,
    scheduler.upsertPolicy,
    scheduler.upsertPool,
  ],
  tokens: [
    tokens.createToken,
    tokens.loginToken,
    tokens.orphanToken,
    tokens.renewToken,
    tokens.useToken,
    tokens.writeTokenRole,
  ],
} as const satisfies Readonly<Record<string, readonly Command[]>>

type Every = (typeof commands)[keyof typeof commands][number]
type WithoutEnv<One> = One extends (...args: infer Given extends readonly unknown[]) => unknown
  ? 3 extends Given['length']
    ? never
    : One
  : never

// Each takes the environment, too, needed or not.
declare const without: WithoutEnv<Every>
expectType<never>(without)
