import { operation } from '../../operation/operation.ts'
import type { Core } from '../service/core.ts'
import { load } from '../service/load.ts'
import { sweep, sweepBlobs } from '../service/sweep.ts'
import type { CatalogRecords } from '../wire/records.ts'
import { loadOptions, records, sweepOptions } from './arguments.ts'

/** What the embedding program can do with a whole catalog. */
export const upkeepOperations = {
  /**
   * Fills an empty catalog with boxes in wire form, all of them or none; answers how many records of each kind. With
   * `dryRun` it answers what it would answer, and stores nothing. Accounts that exist stay as they are. Where there are
   * some, the boxes appear one after the other, and no other caller can take their names meanwhile; what a process that dies
   * on the way leaves is stored by the next process that opens or sweeps the store.
   */
  load: operation({
    takes: [records, loadOptions],
    refuses: ['bad_record', 'not_empty'],
    run: (core: Core, records: CatalogRecords, options?: { readonly dryRun?: boolean | undefined }) =>
      load(core, records, options),
  }),
  /**
   * Removes what expired, and what crashes and deletions left behind, and finishes loads that crashes cut short; done
   * every hour anyway. Answers how many records it removed. `abandoned`: no upload is under way then, and the bytes of
   * those that crashes cut short go at once.
   */
  sweep: operation({
    takes: [sweepOptions],
    refuses: [],
    run: (core: Core, options?: { readonly abandoned?: boolean | undefined }) => sweep(core, options),
  }),
  /**
   * Deletes images that no record names, once records were restored from an older copy or lost; nothing else leaves
   * any. Answers how many those were.
   */
  sweepBlobs: operation({ takes: [], refuses: [], run: (core: Core) => sweepBlobs(core) }),
}
