// Runs the rows of one group in one tree; arguments: its folder and the name of the group. It tells the problem of each
// row, '' for none, once all are ready; then, for each number it receives, runs that row and tells the nanoseconds of
// an operation.
import { groups, isGroup } from './groups.ts'
import type { Row } from './row.ts'
import { treeAt } from './tree.ts'

const [folder = '', group = ''] = process.argv.slice(2)
if (!isGroup(group)) throw new Error(`there is no group ${group}`)
const rows: readonly Row[] = groups[group]
const tree = treeAt(folder)
const runs: (() => unknown)[] = []
const problems: string[] = []
for (const row of rows) {
  try {
    const run = await row.prepare(tree)
    await run()
    runs.push(run)
    problems.push('')
  } catch (error) {
    runs.push(() => undefined)
    problems.push((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '')
  }
}

/** Keeps the last result reachable, so that no work is optimised away. */
export let result: unknown

process.on('message', async (index) => {
  const at = Number(index)
  const row = rows[at]
  const run = runs[at]
  if (row === undefined || run === undefined) throw new Error(`there is no row ${at}`)
  const began = process.hrtime.bigint()
  const used = process.cpuUsage()
  result = await run()
  const { user, system } = process.cpuUsage(used)
  const nanoseconds = row.clock === 'cpu' ? (user + system) * 1000 : Number(process.hrtime.bigint() - began)
  process.send?.(nanoseconds / row.operations)
})
process.on('disconnect', () => process.exit())
process.send?.(problems)
