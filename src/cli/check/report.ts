import type { RealmCheck } from '../../store/sqlite/index.ts'

/** The result for one realm; `rev` is missing if it could not be opened. */
export type Report = { readonly realm: string } & Partial<RealmCheck> & Pick<RealmCheck, 'faults'>
