import { toBase64 } from '../../../crypto/index.ts'
import { type Answer, refuse } from '../../../kernel/index.ts'
import {
  type AttemptRefusal,
  giveToAttempt,
  hideToken,
  type RootGeneration,
  type RootGenerationRefusal,
  startRootGeneration,
} from '../../seal/index.ts'
import { asHex } from '../core/barrier.ts'
import { type Core, stateOf } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { rootKeyFrom } from '../core/root-key.ts'
import { plantRoot } from '../tokens/issuing.ts'
import { drawTokenString } from '../tokens/token-strings.ts'
import { sealNow } from './keys.ts'

/** The public progress of the generation of a root token. */
export interface RootGenerationStatus {
  /** The attempt; `undefined` if there is none. */
  readonly generation: RootGeneration | undefined
  /** How many shares are needed. */
  readonly required: number
  /** The length of the token's text, and of the one-time password. */
  readonly tokenLength: number
  /** The encoded token, once there were enough shares. */
  readonly hidden?: string
}

/** Generates root tokens for holders of key shares. */
export const rootGenerationOf = stateOf(rootGeneration)

function rootGeneration(core: Core) {
  const { barrier, crypto, env } = core
  const utf8 = new TextEncoder()
  let generation: RootGeneration | undefined
  const tokenLength = drawTokenString(core).length

  const status = async (): Promise<RootGenerationStatus> => {
    const { threshold } = await sealNow(core)
    return { generation, required: threshold, tokenLength }
  }
  return {
    status,
    /** Starts an attempt; the service generates the one-time password unless one is given. */
    start: async (otp: string | undefined): Promise<Answer<RootGenerationStatus, RootGenerationRefusal>> => {
      barrier.enter()
      const started = startRootGeneration(
        generation,
        { otp: otp || core.randomText(tokenLength), tokenLength },
        env(),
      )
      if (!started.ok) return started
      generation = started.state
      return { ok: true, value: await status() }
    },
    giveShare: async ({
      share,
      nonce,
    }: {
      readonly share: string
      readonly nonce: string
    }): Promise<Answer<RootGenerationStatus, AttemptRefusal | 'wrong_shares'>> => {
      const seal = await sealNow(core)
      const taken = giveToAttempt(
        generation,
        { what: 'root generation', share: asHex(share), nonce },
        env(),
        seal,
      )
      if (!taken.ok) return taken
      generation = taken.state
      if (!taken.value.enough) return { ok: true, value: await status() }
      generation = undefined
      if ((await rootKeyFrom(crypto, seal, taken.state.given)) === undefined)
        return refuse(
          'wrong_shares',
          'root generation failed: these key shares do not fit this service; start again',
        )
      const text = drawTokenString(core)
      await core.commit((tx, now) => done(plantRoot(core, tx, text, now, barrier.enter().keyring)))
      const hidden = toBase64(hideToken(utf8.encode(text), utf8.encode(taken.state.otp)))
      const value = { generation: taken.state, required: seal.threshold, tokenLength, hidden }
      return { ok: true, value }
    },
    cancel: (): void => {
      generation = undefined
    },
  }
}
