import { toBase64 } from '../../../crypto/index.ts'
import { type Answer, refuse } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import {
  type AttemptRefusal,
  giveToAttempt,
  hideToken,
  type RootGeneration,
  startRootGeneration,
} from '../../seal/index.ts'
import { found } from '../core/answer.ts'
import type { Within } from '../core/context.ts'
import { type Core, stateOf } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { rootKeyFrom } from '../core/root-key.ts'
import { asHex } from '../core/unsealing.ts'
import { plantRoot } from '../tokens/issuing.ts'
import { drawTokenString } from '../tokens/token-strings.ts'
import { type ShareInput, sealNow, shareRefusals } from './keys.ts'

/** The public progress of the generation of a root token. */
export interface RootGenerationStatus {
  /** The attempt; `undefined` if there is none. */
  readonly generation: RootGeneration | undefined
  /** How many shares are needed. */
  readonly required: number
  /** The encoded token, once there were enough shares. */
  readonly hidden?: string
}

/** The length of a generated root token, and of its one-time password, which clients choose by the version they see. */
export const rootTokenLength = ({ version }: Core): number => (/^(?:0|1\.\d)\./.test(version) ? 26 : 28)

const stateIn = stateOf((): { generation: RootGeneration | undefined } => ({ generation: undefined }))

async function statusOf(core: Core): Promise<RootGenerationStatus> {
  const { threshold } = await sealNow(core)
  return { generation: stateIn(core).generation, required: threshold }
}

export function cancelRootGeneration(core: Core): void {
  stateIn(core).generation = undefined
}

async function giveShare(
  core: Core,
  { share, nonce }: ShareInput,
): Promise<Answer<RootGenerationStatus, AttemptRefusal | 'wrong_shares'>> {
  const state = stateIn(core)
  const seal = await sealNow(core)
  const taken = giveToAttempt(
    state.generation,
    { what: 'root generation', share: asHex(share), nonce },
    core.env(),
    seal,
  )
  if (!taken.ok) return taken
  state.generation = taken.state
  if (!taken.value.enough) return found(await statusOf(core))
  state.generation = undefined
  if ((await rootKeyFrom(core.crypto, seal, taken.state.given)) === undefined)
    return refuse(
      'wrong_shares',
      'root generation failed: these key shares do not fit this service; start again',
    )
  const text = drawTokenString(core, taken.state.otp.length)
  await core.commit((tx, now) => done(plantRoot(core, tx, text, now, core.barrier.enter().keyring)))
  const utf8 = new TextEncoder()
  const hidden = toBase64(hideToken(utf8.encode(text), utf8.encode(taken.state.otp)))
  return found({ generation: taken.state, required: seal.threshold, hidden })
}

/** The operations by which holders of key shares generate a root token. */
export const rootGenerationOperations = {
  status: routeOperation({ refuses: [], run: async ({ core }: Within) => found(await statusOf(core)) }),
  /** Starts an attempt; the service generates the one-time password unless one is given. */
  start: routeOperation({
    refuses: ['root_generation_under_way', 'otp_length'],
    run: async ({ core }: Within, otp: string | undefined) => {
      core.barrier.enter()
      const state = stateIn(core)
      const tokenLength = rootTokenLength(core)
      const started = startRootGeneration(
        state.generation,
        { otp: otp || core.randomText(tokenLength), tokenLength },
        core.env(),
      )
      if (!started.ok) return started
      state.generation = started.state
      return found(await statusOf(core))
    },
  }),
  cancel: routeOperation({
    refuses: [],
    run: async ({ core }: Within) => found(cancelRootGeneration(core)),
  }),
  /** Accepts a key share; the last one needed returns the encrypted token. */
  giveShare: routeOperation({
    refuses: shareRefusals,
    run: ({ core }: Within, input: ShareInput) => giveShare(core, input),
  }),
}
