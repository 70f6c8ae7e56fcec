import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'

/**
 * Looks hosts up, and fails for those that lead to an address that is not allowed, also if only one of several is not.
 *
 * @param isAllowed - whether a connection to an address may be made
 * @param refused - the error for a host
 */
export const lookupWithin =
  (isAllowed: (address: string) => boolean, refused: (host: string) => Error): LookupFunction =>
  (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error || first === undefined) return done(error ?? new Error(`unknown host ${host}`), '', 0)
      if (!addresses.every(({ address }) => isAllowed(address))) return done(refused(host), '', 0)
      if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
