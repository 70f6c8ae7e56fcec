import * as z from 'zod'

/** The downloads of a module: in total, and on each UTC day of the last year. */
export const DownloadCounter = z.object({
  /** The module's identity, so that counts follow it when it is renamed. */
  moduleId: z.string(),
  total: z.int().min(0),
  /** Day since the Unix epoch → downloads; days of more than a year ago are dropped. */
  days: z.record(z.string(), z.int().min(0)),
})
/**
 * The downloads of a module: in total, and on each UTC day of the last year.
 */
export interface DownloadCounter extends z.infer<typeof DownloadCounter> {}
