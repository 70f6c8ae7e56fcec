import { type CryptoPort, nodeCrypto } from '../../crypto/index.ts'
import { eventEmitter, type Reporter } from '../../kernel/event-emitter.ts'
import { type Env, systemTimers, type Timers } from '../../kernel/index.ts'
import { lru } from '../../kernel/lru.ts'
import { steadyEnv } from '../../kernel/system-env.ts'
import { type TrustRules, trustRules } from '../../oidc/index.ts'
import type { Tally } from '../../store/background/tally.ts'
import { nodeHashing } from '../../store/blobs/node-hashing.ts'
import { ownedBlobs } from '../../store/blobs/owned-blobs.ts'
import { timeLimited } from '../../store/decorators/time-limited.ts'
import {
  type Blobs,
  memoryBlobs,
  memoryStore,
  type Replica,
  type Store,
  StoreError,
} from '../../store/index.ts'
import { openRealm } from '../../store/realm/realm-owner.ts'
import { runner } from '../../store/transactions/runner.ts'
import { type LastUses, lastUses } from '../../token/last-use.ts'
import { keepAuditMs, trailRecorder } from '../../trail/trail.ts'
import type { WebhookSender } from '../../webhooks/model.ts'
import { type Outbox, outbox } from '../../webhooks/outbox.ts'
import { type ArchiveLimits, archiveLimits } from '../archive/entry.ts'
import { downloadCounter } from '../download-counter.ts'
import { type Follower, follow, type Present } from '../follow.ts'
import { type ArchiveKeeper, archiveKeeper } from '../loose-archives.ts'
import { type ModuleRemoval, moduleRemoval } from '../module-removal.ts'
import type { RegistryEvent, RegistryReport } from '../modules/events.ts'
import type { Module } from '../modules/model.ts'
import { foldName, formatAddress } from '../modules/names.ts'
import type { RegistryOptions } from '../options.ts'
import { type Commit, type HeldRecord, held } from '../records.ts'
import { type SignIn, signInAt } from '../sign-in-provider.ts'
import { slots } from '../slots.ts'
import { type Pulling, pulling } from '../upstream.ts'
import { type ModuleLimits, moduleLimits } from '../versions/limits.ts'
import type { ListedVersion } from '../versions/model.ts'

/** A registry at one revision, with the downloads that are not stored yet. */
export interface Counted extends Present {
  readonly waiting: ReadonlyMap<string, number>
}

interface Listed {
  readonly module: Module
  readonly list: readonly ListedVersion[]
}

/** The dependencies of the registry's operations. */
export interface RegistryParts {
  readonly store: Store
  readonly env: () => Env
  readonly timers: Timers
  readonly limits: ModuleLimits
  /** How many versions of a module are kept, where its namespace has no rule. */
  readonly keepVersions: number | undefined
  readonly crypto: CryptoPort
  /** Stores archives; `undefined` if only URLs are published. */
  readonly blobs: Blobs | undefined
  readonly archiveLimits: ArchiveLimits
  readonly archives: ArchiveKeeper
  /** Limits how many stored archives are read concurrently; others wait. */
  readonly reading: ReturnType<typeof slots>
  /** Limits how many archives are read while they arrive, which can take long; others are read later. */
  readonly streaming: ReturnType<typeof slots>
  /** The current state; opens the store if needed. */
  readonly present: () => Promise<Counted>
  /** Reads records that no replica holds. */
  readonly read: Store['read']
  readonly commit: Commit
  /** The same parts with another actor of their changes. */
  readonly actingAs: (by: string) => RegistryParts
  readonly lastUses: LastUses
  readonly outbox: Outbox
  readonly webhookSender: WebhookSender | undefined
  /** How long changes are kept in the audit trail. */
  readonly keepAuditMs: number
  readonly removals: ModuleRemoval
  readonly tally: Tally
  /** Copies modules from another registry; `undefined` if there is none. */
  readonly pulling: Pulling | undefined
  /** Caches recently read version lists. */
  readonly listed: ReturnType<typeof lru<Listed>>
  readonly report: Reporter
  /** The provider at which people sign in. */
  readonly signIn: SignIn | undefined
  /** The rules by which tokens of other issuers publish. */
  readonly trust: TrustRules | undefined
  /** Stores pending counts, and closes the replica. */
  readonly close: () => Promise<void>
}

/** How many versions of recently listed modules are cached, all modules together. */
const cachedVersions = 50_000

/** How many archives are read concurrently: each may hold some megabytes of texts and paths in memory. */
const readAtOnce = 2
const streamedAtOnce = 8

/** The replica of the store, and what follows it: opened by the first call, and until it succeeds by the next. */
function followedView(store: Store, timers: Timers, report: Reporter) {
  let follower: Follower | undefined
  let opening: Promise<{ readonly view: Replica; readonly follower: Follower }> | undefined
  let closed = false
  const open = async () => {
    if (closed) throw new StoreError('closed', 'the registry was closed')
    opening ??= openRealm('registry', store, held, { timers, onError: report }).then(
      (view) => {
        follower = follow(view)
        return { view, follower }
      },
      (error: unknown) => {
        // The next caller tries an unreachable store again.
        opening = undefined
        throw error
      },
    )
    return opening
  }
  return {
    open,
    /** What follows the replica, once it was opened. */
    follower: () => follower,
    close: async () => {
      closed = true
      // Nothing is open if the store could not be read.
      const opened = await opening?.catch(() => undefined)
      opened?.follower.close()
      await opened?.view.close()
    },
  }
}

/** Commits the changes of an actor, and records them in the audit trail and for webhooks. */
const recordedCommits =
  (
    reporting: Pick<ReturnType<typeof runner<AttributedEvent, HeldRecord>>, 'commit'>,
    trail: ReturnType<typeof trailRecorder>,
    messages: Outbox,
  ) =>
  (by: string | null): Commit =>
  async (decide, options) => {
    let hasMessages = false
    const answer = await reporting.commit((tx, env) => {
      const decided = decide(tx, env)
      if (!decided.ok) return decided
      const events = decided.events.map((event) => Object.assign({ by }, event))
      hasMessages = false
      for (const event of events) {
        const changed = changeOf(event)
        trail.record(tx, changed, env)
        hasMessages = messages.record(tx, changed, env) || hasMessages
      }
      return { ok: true, value: decided.value, events }
    }, options)
    if (answer.ok && hasMessages) messages.wake()
    return answer
  }

/** Creates the parts of a registry from checked options. Nothing is read before the first call. */
export function registryParts(options: RegistryOptions): RegistryParts {
  const { env = steadyEnv(), timers = systemTimers } = options
  const { store, closing } = timeLimited(options.store ?? memoryStore(), options.storeTimeoutMs)
  const report: Reporter = eventEmitter(options.onError)
  const followed = followedView(store, timers, report)
  const view = async () => (await followed.open()).view
  const emit = eventEmitter(options.onEvent, report)
  const reporting = runner<AttributedEvent, HeldRecord>({ service: 'registry', view, env, emit })
  const trail = trailRecorder()
  const crypto = options.crypto ?? nodeCrypto()
  const messages: Outbox = outbox({
    commit: (decide) => reporting.commit(decide),
    fresh: async () => (await view()).fresh(),
    env,
    timers,
    crypto,
    sender: options.webhooks,
    fold: foldName,
    report,
  })
  const commitAs = recordedCommits(reporting, trail, messages)
  const commit = commitAs(null)
  const uses = lastUses(commit, report)
  const given = options.blobs ?? (options.store === undefined ? memoryBlobs(nodeHashing) : undefined)
  const blobs = given && ownedBlobs(given, reporting.owner)
  const tally = downloadCounter({
    commit,
    timers,
    whereIs: (moduleId) => followed.follower()?.present().whereIs(moduleId),
    onError: report,
  })
  const upstream = pulling(options.upstream, { newId: () => env().newId('hop'), timers })
  const providerHost = { fetch: options.fetch ?? fetch, timers, crypto, env }
  const parts: RegistryParts = {
    store,
    env,
    timers,
    limits: Object.assign({}, options.limits, {
      charactersPerVersion: options.limits?.charactersPerVersion ?? moduleLimits.charactersPerVersion,
      charactersPerModule: options.limits?.charactersPerModule ?? moduleLimits.charactersPerModule,
    }),
    keepVersions: options.keepVersions,
    crypto,
    signIn: options.oidc && signInAt(options.oidc, providerHost, options.consoleUrl),
    trust: options.trust && trustRules(options.trust, providerHost),
    blobs,
    archiveLimits: {
      archiveBytes: options.archives?.archiveBytes ?? archiveLimits.archiveBytes,
      expandedBytes: options.archives?.expandedBytes ?? archiveLimits.expandedBytes,
      entries: options.archives?.entries ?? archiveLimits.entries,
    },
    archives: archiveKeeper({ blobs, view, commit, env, report }),
    reading: slots(readAtOnce),
    streaming: slots(streamedAtOnce),
    commit,
    actingAs: (by) => Object.assign({}, parts, { commit: commitAs(by) }),
    lastUses: uses,
    outbox: messages,
    webhookSender: options.webhooks,
    keepAuditMs: options.keepAuditMs ?? keepAuditMs,
    removals: moduleRemoval({ view, commit, blobs }),
    tally,
    pulling: upstream,
    report,
    listed: lru<Listed>(cachedVersions, ({ list }) => list.length + 1),
    read: async (work) => (await view()).store.read(work),
    present: async () => {
      const opened = await followed.open()
      await opened.view.fresh()
      await tally.rested()
      await opened.follower.ready()
      return { waiting: tally.waiting(), ...opened.follower.present() }
    },
    close: () =>
      closing(async () => {
        upstream?.queue.close()
        messages.close()
        await tally.settled()
        await uses.settled()
        await followed.close()
      }),
  }
  return parts
}

/** An event with its actor. */
type AttributedEvent = RegistryEvent & Pick<RegistryReport, 'by'>

/** An event for the audit trail: its subject is a module, a namespace or a token. */
function changeOf(event: AttributedEvent) {
  const { type, by } = event
  switch (event.type) {
    case 'token.created':
    case 'token.deleted':
      return { type, by, subject: event.token, detail: {} }
    case 'webhook.created':
    case 'webhook.deleted':
      return { type, by, subject: event.webhook, detail: { to: event.to } }
    case 'quota.set':
      return { type, by, subject: event.namespace, detail: { quota: event.quota } }
    case 'module.renamed':
      return { type, by, subject: formatAddress(event.from), detail: { to: formatAddress(event.to) } }
    case 'module.published':
    case 'module.updated':
    case 'module.removed':
      return { type, by, subject: formatAddress(event.module), detail: {} }
    case 'version.published':
    case 'version.deprecated':
    case 'version.reinstated':
    case 'version.removed':
      return { type, by, subject: formatAddress(event.module), detail: { version: event.version } }
    default: {
      const never: never = event
      return never
    }
  }
}
