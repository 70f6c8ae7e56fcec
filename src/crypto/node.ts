import type * as Crypto from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { hostModule } from '../kernel/host-module.ts'
import { ownValue } from '../kernel/objects.ts'
import type {
  CryptoPort,
  PublicKey,
  PublicKeyKind,
  SignatureAlgorithm,
  SignatureForm,
  SigningKey,
} from './port.ts'

/** Loaded when a service first needs it: the package can be imported where it does not exist. */
const host = (): typeof Crypto => hostModule('node:crypto', 'pass the option crypto')

const nonceLength = 12
const tagLength = 16
const nothing = new Uint8Array()

/** The cost of one password hash: memory is 128 × r × 2^logN bytes. */
interface ScryptCost {
  readonly logN: number
  readonly r: number
  readonly p: number
}

/**
 * Settings of {@link nodeCrypto}.
 */
export interface NodeCryptoOptions {
  /**
   * log2 of scrypt's N: 15 (32 MiB, some 60 ms) by default; tests may take 4, more than 20 is refused. Kept in each
   * hash, so it may change.
   */
  readonly scryptLogN?: number | undefined
  /** Another source of random bytes: for tests that must repeat, never in production. */
  readonly randomBytes?: ((length: number) => Uint8Array<ArrayBuffer>) | undefined
}

/**
 * The crypto port over `node:crypto`: the default of every service.
 *
 * @example
 * ```ts
 * import { nodeCrypto } from 'plinth/secrets'
 *
 * const { hashPassword, verifyPassword } = nodeCrypto()
 * await verifyPassword('correct horse', await hashPassword('correct horse')) // true
 * ```
 */
export function nodeCrypto(options: NodeCryptoOptions = {}): CryptoPort {
  const { createHash, createHmac, createPrivateKey, createPublicKey, sign, verify } = host()
  const randomBytes = options.randomBytes ?? pooledRandom()
  const cost: ScryptCost = { logN: options.scryptLogN ?? 15, r: 8, p: 1 }
  if (!isWithinReach(cost))
    throw new RangeError(`scryptLogN is ${cost.logN}: pass a whole number from 1 to ${mostLogN}`)
  return {
    randomBytes,
    sha256: (data) => plain(createHash('sha256').update(data).digest()),
    digest: (algorithm, data) => plain(createHash(algorithm).update(data).digest()),
    hmac: (algorithm, key, data) => plain(createHmac(algorithm, key).update(data).digest()),
    ...aesGcm(randomBytes),
    ...keyPairs(),
    sign: (privateKey, data, how) => {
      const key = keyOf(privateKey, () =>
        createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' }),
      )
      return plain(sign(digestFor(key, how), data, { key, ...formOf(how) }))
    },
    readPublicKey,
    verify: (publicKey, data, signature, how) => {
      const key = keyOf(publicKey, () =>
        createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' }),
      )
      return verify(digestFor(key, how), data, { key, ...formOf(how) }, signature)
    },
    ...passwordHashes(randomBytes, cost),
  }
}

/** Key pairs for signatures. */
function keyPairs(): Pick<CryptoPort, 'newSigningKey' | 'newRsaKey' | 'publicJwk'> {
  const { createPublicKey, generateKeyPair, generateKeyPairSync } = host()
  return {
    newSigningKey: (algorithm) =>
      exported(
        algorithm === 'ed25519'
          ? generateKeyPairSync('ed25519')
          : generateKeyPairSync('ec', { namedCurve: curves[algorithm] }),
      ),
    newRsaKey: (bits) =>
      new Promise((resolve, reject) => {
        generateKeyPair('rsa', { modulusLength: bits }, (error, publicKey, privateKey) =>
          error ? reject(error) : resolve(exported({ publicKey, privateKey })),
        )
      }),
    publicJwk: (publicKey) =>
      // All members of the keys that this port generates are strings.
      createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' }).export({
        format: 'jwk',
      }) as Record<string, string>,
  }
}

/** Encryption: the nonce, the ciphertext and the tag, one after the other. */
function aesGcm(randomBytes: CryptoPort['randomBytes']): Pick<CryptoPort, 'seal' | 'open'> {
  const { createCipheriv, createDecipheriv } = host()
  return {
    seal: (key, text, bound, head = nothing) => {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength })
      if (bound) cipher.setAAD(bound)
      const body = cipher.update(text)
      // GCM returns no further bytes here, but the tag is available only afterwards.
      cipher.final()
      const start = head.length + nonceLength
      const sealed = new Uint8Array(start + body.length + tagLength)
      sealed.set(head)
      sealed.set(nonce, head.length)
      sealed.set(body, start)
      sealed.set(cipher.getAuthTag(), start + body.length)
      return sealed
    },
    open: (key, sealed, bound) => {
      if (sealed.length < nonceLength + tagLength) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceLength), {
        authTagLength: tagLength,
      })
      if (bound) decipher.setAAD(bound)
      decipher.setAuthTag(sealed.subarray(sealed.length - tagLength))
      const head = decipher.update(sealed.subarray(nonceLength, sealed.length - tagLength))
      try {
        return plain(Buffer.concat([head, decipher.final()]))
      } catch {
        return undefined
      }
    },
  }
}

/** Hashes of passwords, with the cost of each in its text. */
function passwordHashes(
  randomBytes: CryptoPort['randomBytes'],
  cost: ScryptCost,
): Pick<CryptoPort, 'hashPassword' | 'verifyPassword'> {
  return {
    hashPassword: async (password) => {
      if (password.length > longestPassword)
        throw new RangeError(`a password has at most ${longestPassword} characters, not ${password.length}`)
      const salt = randomBytes(16)
      const hash = await derive(password, salt, cost, 32)
      const numbers = `ln=${cost.logN},r=${cost.r},p=${cost.p}`
      return `$scrypt$${numbers}$${unpadded(salt)}$${unpadded(hash)}`
    },
    verifyPassword: async (password, hash) => {
      if (password.length > longestPassword) return false
      const parts = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash)
      if (!parts) return false
      const given: ScryptCost = { logN: Number(parts[1]), r: Number(parts[2]), p: Number(parts[3]) }
      if (!isWithinReach(given)) return false
      const expected = Buffer.from(parts[5] ?? '', 'base64')
      const actual = await derive(password, Buffer.from(parts[4] ?? '', 'base64'), given, expected.length)
      return host().timingSafeEqual(actual, expected)
    },
  }
}

const curves: Readonly<Record<Exclude<SignatureAlgorithm, 'ed25519'>, string>> = {
  'ecdsa-p256': 'P-256',
  'ecdsa-p384': 'P-384',
  'ecdsa-p521': 'P-521',
}

const exported = (pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }): SigningKey => ({
  privateKey: plain(pair.privateKey.export({ format: 'der', type: 'pkcs8' })),
  publicKey: plain(pair.publicKey.export({ format: 'der', type: 'spki' })),
})

/** Parsing a key's DER takes longer than signing with it: it is cached per byte array. */
const readKeys = new WeakMap<Uint8Array, KeyObject>()
function keyOf(bytes: Uint8Array, read: () => KeyObject): KeyObject {
  const known = readKeys.get(bytes)
  if (known) return known
  const key = read()
  readKeys.set(bytes, key)
  return key
}

/** Ed25519 includes its own hash. */
const digestFor = ({ asymmetricKeyType }: KeyObject, how: SignatureForm | undefined) =>
  asymmetricKeyType === 'ed25519' ? null : (how?.digest ?? 'sha256')

const formOf = (how: SignatureForm | undefined) => ({
  dsaEncoding: how?.encoding === 'p1363' ? ('ieee-p1363' as const) : ('der' as const),
  ...(how?.padding === 'pss'
    ? {
        padding: host().constants.RSA_PKCS1_PSS_PADDING,
        saltLength: host().constants.RSA_PSS_SALTLEN_DIGEST,
      }
    : {}),
})

/** The kinds of keys by Node's names of their types and curves. */
const kinds: Readonly<Record<string, PublicKeyKind>> = {
  rsa: 'rsa',
  'rsa-pss': 'rsa-pss',
  prime256v1: 'p-256',
  secp384r1: 'p-384',
  secp521r1: 'p-521',
  ed25519: 'ed25519',
}

function readPublicKey(given: string | Readonly<Record<string, unknown>>): PublicKey | undefined {
  // Node would derive the public key from it, and callers keep the text that they gave.
  if (typeof given === 'string' && given.includes('PRIVATE KEY')) return undefined
  try {
    const key = host().createPublicKey(
      typeof given === 'string' ? given : { key: { ...given }, format: 'jwk' },
    )
    const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {}
    const name = namedCurve ?? key.asymmetricKeyType ?? ''
    const kind = ownValue(kinds, name)
    return (
      kind && { publicKey: plain(key.export({ format: 'der', type: 'spki' })), kind, bits: modulusLength }
    )
  } catch {
    return undefined
  }
}

/** Takes random bytes from a pool: asking the system for each nonce costs more than encrypting with it. */
function pooledRandom(): CryptoPort['randomBytes'] {
  const { randomBytes: drawBytes, randomFillSync } = host()
  const pool = Buffer.alloc(4096)
  let used = pool.length
  return (length) => {
    if (length > 64) return plain(drawBytes(length))
    if (used + length > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const drawn = plain(pool.subarray(used, used + length))
    // Do not keep a copy of a key that was handed out.
    pool.fill(0, used, used + length)
    used += length
    return drawn
  }
}

/** Beyond this a password takes more than a GiB. */
const mostLogN = 20

/** Normalizing takes quadratic time if marks are stacked on a letter: minutes for a megabyte. */
export const longestPassword = 1024

/** Whether this port creates and verifies hashes of that cost; a more expensive one was not created here. */
const isWithinReach = ({ logN, r, p }: ScryptCost): boolean =>
  Number.isInteger(logN) && logN >= 1 && logN <= mostLogN && r >= 1 && r <= 32 && p >= 1 && p <= 16

function derive(
  password: string,
  salt: Uint8Array,
  { logN, r, p }: ScryptCost,
  length: number,
): Promise<Buffer> {
  const N = 2 ** logN
  return new Promise((resolve, reject) => {
    // Different Unicode spellings of one password must be equal: NFKC, as RFC 8265 advises.
    host().scrypt(password.normalize('NFKC'), salt, length, { N, r, p, maxmem: 256 * r * N }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

const unpadded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '')

/** A copy: a Buffer may be a view of Node's shared pool. */
const plain = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)
