import { operation } from '../../operation/operation.ts'
import type { Core } from '../service/core.ts'
import { load } from '../service/load.ts'
import { sweep, sweepBlobs } from '../service/sweep.ts'
import type { CatalogRecords } from '../wire/records.ts'
import { loadOptions, records, sweepOptions } from './arguments.ts'

/** Operations of the embedding program on the whole catalog. */
export const upkeepOperations = {
  /**
   * Fills an empty catalog with boxes in wire form, all of them or none; returns the number of records by kind.
   * `dryRun` returns the same and stores nothing. Existing accounts stay unchanged. If there are any, the boxes appear
   * one after the other, while their names are reserved; if the process dies, the next process that opens or sweeps the
   * store finishes the load.
   *
   * @example await createCatalog().load({ boxes: [{ tag: 'acme/tiny' }] }, { dryRun: true })
   */
  load: operation({
    takes: [records, loadOptions],
    refuses: ['bad_record', 'not_empty'],
    run: (core: Core, records: CatalogRecords, options?: { readonly dryRun?: boolean | undefined }) =>
      load(core, records, options),
  }),
  /**
   * Removes expired records and the leftovers of crashes and deletions, and finishes interrupted loads; deletes
   * versions that no retention rule keeps; the catalog does this every hour by itself. Returns the number of removed
   * records. With `abandoned`, which requires that no upload is in progress, bytes of interrupted uploads are deleted
   * immediately.
   *
   * @example await catalog.sweep()
   */
  sweep: operation({
    takes: [sweepOptions],
    refuses: [],
    run: (core: Core, options?: { readonly abandoned?: boolean | undefined }) => sweep(core, options),
  }),
  /**
   * Deletes images that no record references, after records were restored from an older copy or lost; nothing else
   * causes such images. Returns their number.
   *
   * @example await catalog.sweepBlobs()
   */
  sweepBlobs: operation({ takes: [], refuses: [], run: (core: Core) => sweepBlobs(core) }),
}
