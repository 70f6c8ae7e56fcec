/** Thrown if an operation needs an unsealed service; becomes the refusal `sealed` at the edge. */
export class SealedError extends Error {
  override readonly name = 'SealedError'
}
