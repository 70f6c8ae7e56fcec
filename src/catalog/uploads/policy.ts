/**
 * How long uploads may take, in whole seconds.
 *
 * @public
 */
export interface UploadPolicy {
  /** How long after it was asked for an upload may begin; an hour by default. */
  readonly beginWithinSeconds: number
  /** How long after its bytes are stored an upload may be repeated or finalized; a day by default. */
  readonly finalizeWithinSeconds: number
  /** How long after it is finalized an upload may be repeated, for an answer that was lost; ten minutes by default. */
  readonly repeatWithinSeconds: number
}

/**
 * The default {@link UploadPolicy}.
 *
 * @public
 */
export const uploadPolicy: UploadPolicy = {
  beginWithinSeconds: 3600,
  finalizeWithinSeconds: 86_400,
  repeatWithinSeconds: 600,
}
