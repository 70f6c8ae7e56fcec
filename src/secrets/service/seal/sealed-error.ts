/** Thrown where an open service is needed and this one is sealed: becomes the refusal `sealed` at the edge. */
export class SealedError extends Error {
  override readonly name = 'SealedError'
}
