/**
 * The crypto port, functions built on it, and its implementation over `node:crypto`.
 *
 * @packageDocumentation
 */
export { equalBytes, equalTexts } from './compare.ts'
export {
  fromBase32,
  fromBase64,
  fromHex,
  randomBase62,
  toBase32,
  toBase64,
  toHex,
} from './encoding.ts'
export { longestPassword, type NodeCryptoOptions, nodeCrypto } from './node.ts'
export type {
  CryptoPort,
  DigestAlgorithm,
  HmacAlgorithm,
  PublicKey,
  PublicKeyKind,
  SignatureAlgorithm,
  SignatureForm,
  SigningKey,
} from './port.ts'
export { combineKey, splitKey } from './shares.ts'
export { type TotpSettings, totp, verifyTotp } from './totp.ts'
