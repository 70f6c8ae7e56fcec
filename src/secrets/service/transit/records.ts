import { collection, prefixOf } from '../../../store/index.ts'
import type { TransitKey } from '../../transit/model.ts'
import type { Concept } from '../core/core.ts'

/** The keys of each mount, by name. Their material is encrypted like all stored data. */
export const transitKeys = collection<{ readonly mount: string; readonly key: TransitKey }>({
  name: 'transit',
  key: ({ mount, key }) => [mount, key.name],
  scopes: () => [],
})

export const transit: Concept = { held: [transitKeys], ofMount: (id) => [prefixOf(transitKeys.name, id)] }
