import { lifecycle } from '../../kernel/index.ts'

/**
 * The lifecycle of an upload: status → verb → status. Bytes may be sent again, because clients retry an upload whose
 * answer was lost; finalizing again changes nothing.
 *
 * @remarks
 * A standard upload is finalized as soon as its bytes are stored; a direct one
 * waits for its callback.
 */
export const uploadLifecycle = lifecycle({
  requested: { store: 'stored' },
  stored: { store: 'stored', finalize: 'finalized' },
  finalized: { store: 'stored', finalize: 'finalized' },
})

/**
 * The status of an upload in its {@link uploadLifecycle}.
 */
export type UploadStatus = keyof typeof uploadLifecycle
