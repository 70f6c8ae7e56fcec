import * as z from 'zod'
import { unwrap } from '../../../kernel/index.ts'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { type MethodsOf, operation, routeOperation } from '../../../operation/operation.ts'
import { healthCode } from '../../seal/index.ts'
import { found } from '../core/answer.ts'
import { text } from '../core/arguments.ts'
import type { Within } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { seals } from '../core/records.ts'
import { staticRoot } from '../core/static-seal.ts'
import { type InitializeInput, initialize } from './initialize.ts'
import { cancelRekey } from './keys.ts'
import { cancelRootGeneration } from './root-generation.ts'

/** The seal of a service, which belongs to no namespace. */
type SealDeps = Pick<Within, 'core'>

async function unsealStatic({ core }: SealDeps) {
  const before = await core.barrier.state()
  const result = await core.barrier.unsealStatic()
  if (result.ok && result.value && before !== 'unsealed') await begin(core)
  return result
}

/** Begins to work after unsealing. */
async function begin(core: Core): Promise<void> {
  await core.barrier.unlessSealed(() => keepStaticRoot(core))
  core.emit({ at: core.env().now, namespace: '', type: 'seal.unsealed' })
  await core.barrier.unlessSealed(async () => {
    for (const { resume } of core.concepts) await resume?.(core)
  })
  core.sweeper.at(core.env().now)
}

/** Seals the root key with the current static key, if it is sealed with none or with an earlier one. */
async function keepStaticRoot(core: Core): Promise<void> {
  const { staticSeal } = core.options
  if (staticSeal === undefined) return
  const { rootKey } = core.barrier.enter()
  await core.commit((tx) => {
    const seal = tx.get(seals, 'it')?.value.seal
    if (seal && seal.static?.keyId !== staticSeal.currentKeyId)
      tx.put(seals, { seal: { ...seal, static: staticRoot(core.crypto, staticSeal, rootKey) } })
    return done(undefined)
  })
}

/** The operations on the seal of a service, which work while it is sealed. */
export const sealOperations = {
  /**
   * Whether the service is initialised and sealed, and the progress of unsealing.
   *
   * @example await secrets.seal.status()
   */
  status: operation({
    takes: [],
    refuses: [],
    run: ({ core }: SealDeps) => core.barrier.status(),
  }),
  /**
   * Creates and splits a new unseal key, the root token and the first mounts. The service stays sealed without
   * `staticSeal`.
   *
   * @example await createSecrets().seal.initialize({ shares: 5, threshold: 3 })
   */
  initialize: operation({
    takes: [
      argument<InitializeInput>(
        'input',
        fields({
          shares: z.int(),
          threshold: z.int(),
          rootToken: z.string().optional(),
          withIdp: z.boolean().optional(),
          keep: z
            .custom<NonNullable<InitializeInput['keep']>>(
              (given) => typeof given === 'function',
              'must be a function',
            )
            .optional(),
        } satisfies Record<keyof InitializeInput, z.ZodType>),
      ),
    ],
    refuses: ['invalid_shares', 'already_initialized', 'invalid_root_token'],
    run: async (at: SealDeps, input: InitializeInput) => {
      const made = await initialize(at.core, input)
      if (made.ok && at.core.options.staticSeal) unwrap(await unsealStatic(at))
      return made
    },
  }),
  /**
   * Accepts one key share, hexadecimal or base64.
   *
   * @example await secrets.seal.unseal(share)
   */
  unseal: operation({
    takes: [text('share')],
    refuses: ['not_initialized', 'share_not_text', 'share_length', 'wrong_shares'],
    run: async ({ core }: SealDeps, share: string) => {
      const before = await core.barrier.state()
      const result = await core.barrier.unseal(share)
      if (result.ok && result.value.opened && before !== 'unsealed') await begin(core)
      return result
    },
  }),
  /**
   * Unseals without key shares, by the key of the option `staticSeal`; false if the data was never sealed with one: then
   * unseal it with key shares once.
   *
   * @example await createSecrets({ store, staticSeal }).seal.unsealStatic()
   */
  unsealStatic: operation({
    takes: [],
    refuses: ['not_initialized', 'static_key_wrong'],
    run: (at: SealDeps) => unsealStatic(at),
  }),
  /**
   * Seals the service: it drops its keys until enough shares are provided again.
   *
   * @example await secrets.seal.seal()
   */
  seal: operation({
    takes: [],
    refuses: [],
    run: async ({ core }: SealDeps) => {
      cancelRekey(core)
      cancelRootGeneration(core)
      await core.barrier.seal()
      core.emit({ at: core.env().now, namespace: '', type: 'seal.sealed' })
    },
  }),
}

/** The operations that have no typed method. */
export const sealRouteOperations = {
  /** The seal of the service. */
  status: routeOperation({
    refuses: [],
    run: async ({ core }: SealDeps) => found(await core.barrier.status()),
  }),
  /** Whether the service is initialised and sealed. */
  state: routeOperation({
    refuses: [],
    run: async ({ core }: SealDeps) => found(await core.barrier.state()),
  }),
  /** Accepts one key share, or without one drops those given so far; returns the seal. */
  unseal: routeOperation({
    refuses: sealOperations.unseal.refuses,
    run: async (at: SealDeps, share: string | undefined) => {
      const { barrier } = at.core
      if (share === undefined) barrier.restart()
      else {
        const taken = await sealOperations.unseal.run(at, share)
        if (!taken.ok) return taken
      }
      return found(await barrier.status())
    },
  }),
  seal: routeOperation({
    refuses: [],
    run: async (at: SealDeps) => found(await sealOperations.seal.run(at)),
  }),
  /** The seal, and the status code that says whether the service is usable. */
  health: routeOperation({
    refuses: ['invalid_health_code'],
    run: async ({ core }: SealDeps, codes: Readonly<Record<string, string | undefined>>) => {
      const code = healthCode(await core.barrier.state(), core.role, codes)
      return typeof code === 'number' ? found({ code, status: await core.barrier.status() }) : code
    },
  }),
}

/** The seal of a service, for programs that embed it. */
export interface SealHandle extends MethodsOf<typeof sealOperations> {}
