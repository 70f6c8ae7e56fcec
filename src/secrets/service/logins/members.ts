import { operation } from '../../../operation/operation.ts'
import type { Collection, Tx } from '../../../store/index.ts'
import { found } from '../core/answer.ts'
import { named } from '../core/arguments.ts'
import { changeAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import { done } from '../core/decision.ts'

const name = named('name')

/**
 * What auth methods share that keep users or roles: records by mount and name.
 *
 * @param kept - the records
 * @param keyName - the name in the key of a record, from the name that a caller wrote
 * @param memberOf - the user or the role in a record
 */
export function membersOf<Kept extends { readonly mount: string }, Member>(
  kept: Collection<Kept>,
  keyName: (name: string) => string,
  memberOf: (record: Kept) => Member,
) {
  const memberNow = async ({ core, mount }: Sited, name: string): Promise<Member | undefined> => {
    const stored = kept.get(await core.fresh(), mount.id, keyName(name))
    return stored && memberOf(stored.value)
  }
  return {
    /** A member in a decision. */
    memberIn(tx: Tx, { mount }: Sited, name: string): Member | undefined {
      const stored = tx.get(kept, mount.id, keyName(name))
      return stored && memberOf(stored.value)
    },
    memberNow,
    list: operation({
      takes: [],
      refuses: [],
      run: async ({ core, mount }: Sited) =>
        found(kept.list(await core.fresh(), mount.id).map(({ value }) => String(kept.parts(value).at(-1)))),
    }),
    read: operation({
      takes: [name],
      refuses: [],
      run: async (at: Sited, name: string) => found(await memberNow(at, name)),
    }),
    delete: operation({
      takes: [name],
      refuses: ['mount_gone'],
      run: (at: Sited, name: string) =>
        changeAt(at, (tx) => done(tx.delete(kept, at.mount.id, keyName(name)))),
    }),
  }
}
