/**
 * What a module had in another registry.
 */
export interface ModuleHistory {
  /** Its downloads in total. */
  readonly downloads: number
  /** When its versions were published, in microseconds since the Unix epoch; versions that are not here are ignored. */
  readonly versions: readonly { readonly version: string; readonly publishedMicros: number }[]
}
