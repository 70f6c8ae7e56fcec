/**
 * How long uploads may take, in whole seconds.
 */
export interface UploadPolicy {
  /** The time within which an upload must begin; an hour by default. */
  readonly beginWithinSeconds: number
  /** The time after its bytes are stored in which an upload may be repeated or finalized; a day by default. */
  readonly finalizeWithinSeconds: number
  /**
   * The time after finalizing in which an upload may be repeated, because the answer was lost; ten minutes by default.
   */
  readonly repeatWithinSeconds: number
}

/**
 * The default {@link UploadPolicy}.
 */
export const uploadPolicy: UploadPolicy = {
  beginWithinSeconds: 3600,
  finalizeWithinSeconds: 86_400,
  repeatWithinSeconds: 600,
}
