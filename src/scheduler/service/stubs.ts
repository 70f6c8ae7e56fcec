import { recent } from '../recent.ts'

/**
 * The stubs of one kind of list, by what they show beside the usual. Everybody is shown the same frozen stub for as
 * long as nothing about its object changes, so that it, and its text, are made once.
 */
export function stubsOf<Row extends object, Fields, Stub extends object>(
  make: (row: Row, fields: Fields) => Stub,
): (fields: Fields) => (row: Row) => Stub {
  const byFields = new Map<string, (row: Row) => Stub>()
  return (fields) => {
    // Yes and no in a few places: there are never many.
    const key = JSON.stringify(fields)
    let stubs = byFields.get(key)
    if (stubs === undefined) {
      stubs = recent((row: Row) => frozen(make(row, fields)))
      byFields.set(key, stubs)
    }
    return stubs
  }
}

/** The same object, frozen to the bottom. What is frozen already came from the store, which freezes whole records. */
function frozen<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) frozen(inner)
  return Object.freeze(value)
}
