import { type Collection, type Entry, isMark, partsOf, type Store } from '../../src/store/index.ts'
import { realmOwners } from '../../src/store/realm/realm-owner.ts'

/**
 * Lists the inconsistencies of a realm that holds these collections and its owner, and nothing else: every unique value and every
 * index leads to a record that has it, and the other way round; every record has raised its marks.
 */
export async function realmFaults(
  store: Store,
  collections: readonly Collection<unknown>[],
): Promise<readonly string[]> {
  const entries = await store.read((view) => view.scan({ prefix: '' }))
  const byKey = new Map(entries.map((entry) => [entry.key, entry]))
  const byName = new Map([...collections, realmOwners].map((each) => [each.name, each]))
  const faults: string[] = []
  const check = (holds: boolean, key: string, says: string) => {
    if (!holds) faults.push(`${partsOf(key).join('/')} ${says}`)
  }
  const checkRecord = (of: Collection<unknown>, { key, value, modified }: Entry) => {
    check(of.keyOf(...of.parts(value)) === key, key, 'is a record of another key')
    for (const found of [...of.uniqueKeys(value), ...of.indexKeys(value)])
      check(byKey.get(found)?.value === key, key, `is not found by ${partsOf(found).join('/')}`)
    for (const mark of of.marksOf(value))
      check((byKey.get(mark)?.modified ?? 0) >= modified, key, `is newer than ${partsOf(mark).join('/')}`)
  }
  for (const entry of entries) {
    const { key, value } = entry
    if (isMark(key)) continue
    const [name = ''] = partsOf(key)
    const record = byName.get(name)
    if (record !== undefined) {
      checkRecord(record, entry)
      continue
    }
    const of = byName.get(name.split(/[!#]/)[0] ?? '')
    const holder = typeof value === 'string' ? byKey.get(value)?.value : undefined
    const has =
      of === undefined || holder === undefined ? [] : [...of.uniqueKeys(holder), ...of.indexKeys(holder)]
    check(has.includes(key), key, 'leads to nothing that has it')
  }
  return faults
}
