import { toBase64 } from '../../../crypto/index.ts'
import type { IdTokenAlgorithm } from '../../identity/id-token-key.ts'
import type { IdTokenPair } from '../../identity/model.ts'
import type { Core } from '../core/core.ts'

const curves = { ES256: 'ecdsa-p256', ES384: 'ecdsa-p384', ES512: 'ecdsa-p521', EdDSA: 'ed25519' } as const

/** Generates a key pair for an algorithm: before the commit, which may be decided several times. */
export async function drawPair(core: Core, algorithm: IdTokenAlgorithm): Promise<IdTokenPair> {
  const { crypto } = core
  const made =
    algorithm === 'RS256' || algorithm === 'RS384' || algorithm === 'RS512'
      ? await crypto.newRsaKey(2048)
      : crypto.newSigningKey(curves[algorithm])
  const id = core.env().newId('idTokenKey')
  const jwk = { use: 'sig', kid: id, alg: algorithm, ...crypto.publicJwk(made.publicKey) }
  return { id, privateKey: toBase64(made.privateKey), jwk }
}
