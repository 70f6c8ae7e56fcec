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

/** What a call with a state, an input and an environment has to type-check against: nothing more is required. */
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
} satisfies Readonly<Record<string, readonly Command[]>>

// An environment that is given fits every one of them.
type Given = Parameters<(typeof commands)[keyof typeof commands][number]>['length'] extends infer Length
  ? Extract<Length, 1 | 0>
  : never
expectType<never>(0 as never as Given)
