import type { ServiceName } from '../../data/services.ts'
import type { Kind, KindRow } from './kind.ts'
import { catalogKinds, registryKinds } from './kinds/publishing.ts'
import { schedulerKinds } from './kinds/scheduler.ts'
import { secretsKinds } from './kinds/secrets.ts'

const of = (service: ServiceName, rows: readonly KindRow[]): readonly Kind[] =>
  rows.map((row) => ({ service, ...row }))

/** Everything that is administered, by service. */
export const kinds: readonly Kind[] = [
  ...of('secrets', secretsKinds),
  ...of('scheduler', schedulerKinds),
  ...of('catalog', catalogKinds),
  ...of('registry', registryKinds),
]

export const kindPath = ({ service, slug }: Pick<Kind, 'service' | 'slug'>): string => `/${service}/-/${slug}`
