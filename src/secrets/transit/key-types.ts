/**
 * The types of keys, and their operations. Every key creates HMACs.
 */
export const transitKeyTypes = {
  'aes256-gcm96': { encrypts: true, signs: false, derives: true },
  ed25519: { encrypts: false, signs: true, derives: false },
  'ecdsa-p256': { encrypts: false, signs: true, derives: false },
} as const

/** A type of keys. */
export type TransitKeyType = keyof typeof transitKeyTypes

/** Whether a text names a type of keys. */
export const isTransitKeyType = (text: string): text is TransitKeyType => Object.hasOwn(transitKeyTypes, text)
