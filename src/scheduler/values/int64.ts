import * as z from 'zod'

/** The first JavaScript number beyond the range of 64-bit integers. */
const end = 2 ** 63

/** The last number within the range, which is 1024 less. */
const last = end - 1024

/** Whether a number is an integer that clients with 64-bit integers can read. */
export const isInt64 = (value: unknown): boolean =>
  Number.isInteger(value) && Math.abs(value as number) <= last

/**
 * Nanoseconds, of a duration or since the epoch: any whole number that clients with 64-bit integers send.
 *
 * @remarks
 * JavaScript can represent every integer up to 2^53, which is 104 days in nanoseconds. Beyond that, the nearest
 * representable number is stored and returned: one in 2 up to 208 days, one in 256 for an instant of today. Both ends
 * of the 64-bit range are rounded to 2^63, which no client could read back, and become the last number before it.
 */
export const int64 = z
  .number()
  .overwrite((value) => (Math.abs(value) === end ? Math.sign(value) * last : value))
  .refine(isInt64, { error: 'Invalid input: expected a whole number of 64 bits' })
  .meta({ kind: 'int64', type: 'integer', format: 'int64' })
