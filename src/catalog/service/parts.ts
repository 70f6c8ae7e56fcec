import { nodeCrypto } from '../../crypto/index.ts'
import { eventEmitter, type Reporter } from '../../kernel/event-emitter.ts'
import { systemTimers } from '../../kernel/index.ts'
import { steadyEnv } from '../../kernel/system-env.ts'
import { ownedBlobs } from '../../store/blobs/owned-blobs.ts'
import { timeLimited } from '../../store/decorators/time-limited.ts'
import { memoryStore, type Replica, StoreError } from '../../store/index.ts'
import { openRealm } from '../../store/realm/realm-owner.ts'
import { runner } from '../../store/transactions/runner.ts'
import { lastUses } from '../../token/last-use.ts'
import { keepAuditMs, trailRecorder } from '../../trail/trail.ts'
import { outbox } from '../../webhooks/outbox.ts'
import { host } from '../accounts/access.ts'
import { sizeLimits } from '../boxes/limits.ts'
import { foldName } from '../boxes/names.ts'
import type { CatalogReport } from '../events.ts'
import { allRecords } from '../records.ts'
import { uploadPolicy } from '../uploads/policy.ts'
import type { AttributedEvent, Core } from './core.ts'
import { downloadCounter } from './download-counter.ts'
import { blobsOf, type CatalogOptions } from './options.ts'
import { passwordCheck } from './password-check.ts'
import { openSearch } from './search.ts'
import { wrongPasswords } from './wrong-passwords.ts'

/** The options that are rules, with their defaults. */
const rulesOf = ({ uploads, limits, ...options }: CatalogOptions) => ({
  uploadPolicy: {
    beginWithinSeconds: uploads?.beginWithinSeconds ?? uploadPolicy.beginWithinSeconds,
    finalizeWithinSeconds: uploads?.finalizeWithinSeconds ?? uploadPolicy.finalizeWithinSeconds,
    repeatWithinSeconds: uploads?.repeatWithinSeconds ?? uploadPolicy.repeatWithinSeconds,
  },
  sizeLimits: {
    bytesPerOwner: limits?.bytesPerOwner,
    versionsPerOwner: limits?.versionsPerOwner,
    boxesPerOwner: limits?.boxesPerOwner ?? sizeLimits.boxesPerOwner,
    charactersPerVersion: limits?.charactersPerVersion ?? sizeLimits.charactersPerVersion,
    charactersPerBox: limits?.charactersPerBox ?? sizeLimits.charactersPerBox,
  },
  keepVersions: options.keepVersions,
  maxImageBytes: options.maxImageBytes,
  verifyChecksums: options.verifyChecksums ?? true,
  keepAuditMs: options.keepAuditMs ?? keepAuditMs,
  deliverCode: options.deliverCode,
})

/** Creates the parts of a catalog. Nothing is read before the first call. */
export function catalogParts(options: CatalogOptions): Core & { readonly close: () => Promise<void> } {
  const { env = steadyEnv(), crypto = nodeCrypto(), timers = systemTimers } = options
  const { store, closing } = timeLimited(options.store ?? memoryStore(), options.storeTimeoutMs)
  const onError: Reporter = eventEmitter(options.onError)
  let opened: Promise<Replica> | undefined
  let closed = false
  const view = async () => {
    if (closed) throw new StoreError('closed', 'the catalog was closed')
    opened ??= openRealm('catalog', store, allRecords, { timers, onError }).catch((error: unknown) => {
      // If the store cannot be read now, the next caller reads it.
      opened = undefined
      throw error
    })
    return opened
  }
  const emit = eventEmitter<[CatalogReport]>(options.onEvent, onError)
  const { commit, owner } = runner<AttributedEvent>({ service: 'catalog', view, env, emit })
  const tally = downloadCounter({ commit, timers, onError })
  const uses = lastUses(commit, onError)
  const messages = outbox({
    commit,
    fresh: async () => (await view()).fresh(),
    env,
    timers,
    crypto,
    sender: options.webhooks,
    fold: foldName,
    report: onError,
  })
  const search = openSearch({ view, tally })
  return {
    caller: host,
    store,
    view,
    commit,
    blobs: ownedBlobs(blobsOf(options), owner),
    env,
    crypto,
    ...rulesOf(options),
    trail: trailRecorder(),
    lastUses: uses,
    outbox: messages,
    webhookSender: options.webhooks,
    passwordMatches: passwordCheck(crypto),
    wrongPasswords: wrongPasswords(),
    search,
    tally,
    emit,
    onError,
    close: () =>
      closing(async () => {
        messages.close()
        await tally.settled()
        await uses.settled()
        closed = true
        search.close()
        const last = await opened?.catch(() => undefined)
        await last?.close()
      }),
  }
}
