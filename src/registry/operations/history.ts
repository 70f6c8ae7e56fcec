import type { Answer } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { ModuleHistory } from '../modules/history.ts'
import type { ModuleAddress } from '../modules/names.ts'
import { addressOf } from '../modules/publish.ts'
import { addressParts, counters, modules } from '../records.ts'
import { moduleNotFound } from '../refusals.ts'
import { parseVersion } from '../versions/number.ts'
import { address, history } from './arguments.ts'
import type { RegistryParts } from './parts.ts'

/** The operations on what modules had elsewhere. */
export const historyOperations = {
  /**
   * Sets the dates and the downloads that a module had in another registry, from which it was copied. A number of
   * downloads only grows, and no date is later than now.
   *
   * @example await registry.setHistory(vpc, { downloads: 4200, versions: [] })
   */
  setHistory: operation({
    takes: [address, history],
    refuses: ['module_not_found'],
    run: (
      { commit }: RegistryParts,
      address: ModuleAddress,
      { downloads, versions }: ModuleHistory,
    ): Promise<Answer<undefined, 'module_not_found'>> =>
      commit<undefined, 'module_not_found'>((tx, env) => {
        const module = tx.get(modules, ...addressParts(address))?.value
        if (!module) return moduleNotFound(address)
        const dates = new Map(
          versions.map(({ version, publishedMicros }) => [
            parseVersion(version)?.canonical,
            Math.min(publishedMicros, env.now * 1000),
          ]),
        )
        const dated = module.versions.map((version) =>
          Object.assign({}, version, {
            publishedMicros: dates.get(version.number) ?? version.publishedMicros,
          }),
        )
        tx.put(modules, Object.assign({}, module, { versions: dated }))
        const counter = tx.get(counters, module.id)?.value ?? { moduleId: module.id, total: 0, days: {} }
        if (downloads > counter.total) tx.put(counters, Object.assign({}, counter, { total: downloads }))
        return {
          ok: true,
          value: undefined,
          events: [{ type: 'module.updated', module: addressOf(module) }],
        }
      }),
  }),
}
