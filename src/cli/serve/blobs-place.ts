import { systemEnv } from '../../kernel/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import { UserError } from '../user-error.ts'

/** A record in the realm of the server: where the uploads are, which a database cannot tell otherwise. */
const key = 'blobs'

/** The absolute directory, or the bucket, that a server has recorded. */
export const recordedPlace = async (own: Store): Promise<string | undefined> => placeOf(await placeIn(own))

/** Records where the uploads are. A default place does not replace a recorded one. */
export async function recordPlace(own: Store, at: string, isChosen: boolean): Promise<void> {
  for (;;) {
    const found = await placeIn(own)
    const before = placeOf(found)
    if (before === at) return
    if (before !== undefined && !isChosen)
      throw new UserError(`another server keeps the uploads of this database in ${before}: add --blobs`)
    const expect = [{ key, rev: found?.modified ?? 0 }]
    const commit = { id: systemEnv().newId('blobs'), expect, put: [{ key, value: { at } }] }
    const [verdict] = await own.commit([commit])
    if (verdict?.ok === true) return
  }
}

const placeIn = (own: Store): Promise<Entry | undefined> =>
  own.read(async (view) => (await view.get([key]))[0])

const placeOf = (entry: Entry | undefined): string | undefined => {
  const { value } = entry ?? {}
  if (typeof value !== 'object' || value === null || !('at' in value)) return undefined
  return typeof value.at === 'string' ? value.at : undefined
}
