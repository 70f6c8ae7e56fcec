import { ownValue } from '../../kernel/objects.ts'
import type { Constraint } from '../placement/constraints.ts'
import { deviceAsks } from '../placement/devices.ts'
import { isOverNodes, operands } from '../placement/operands.ts'
import { shortened } from '../values/shortened.ts'
import type { JobSpec } from './model.ts'
import type { TaskGroup } from './task-group.ts'

/** The longest text on one side of a constraint. */
const longest = 65_536

const words = Object.keys(operands).join(', ')

/**
 * All problems of a job's node requirements: constraints, affinities, spreads and devices.
 *
 * @internal
 */
export function constraintProblems(job: JobSpec): readonly string[] {
  const problems: string[] = []
  checkConstraints(problems, 'Job', job.Constraints)
  checkAffinities(problems, 'Job', job.Affinities)
  checkSpreads(problems, 'Job', job.Spreads)
  for (const group of job.TaskGroups) checkGroup(problems, group)
  return problems
}

function checkGroup(problems: string[], group: TaskGroup): void {
  const where = `Task group ${group.Name}`
  checkConstraints(problems, where, group.Constraints)
  checkAffinities(problems, where, group.Affinities)
  checkSpreads(problems, where, group.Spreads)
  for (const task of group.Tasks) {
    const at = `Task ${task.Name}`
    checkConstraints(problems, at, task.Constraints)
    for (const [index, { Operand }] of (task.Constraints ?? []).entries())
      if (isOverNodes(Operand))
        problems.push(
          `${at}: constraint ${index + 1} has operand "${Operand}", which belongs to a job or a task group`,
        )
    checkAffinities(problems, at, task.Affinities)
    for (const { name, count, constraints } of task.Resources.Devices === null
      ? []
      : deviceAsks(task.Resources)) {
      if (name === '') problems.push(`${at}: a device has no Name, such as "gpu" or "nvidia/gpu"`)
      if (!Number.isInteger(count) || count < 1)
        problems.push(
          `${at}: the Count of device ${JSON.stringify(name)} is ${count}, not a whole number of at least 1`,
        )
      checkConstraints(problems, `${at}: device ${JSON.stringify(name)}`, constraints)
    }
  }
}

function checkConstraints(
  problems: string[],
  where: string,
  constraints: readonly Constraint[] | null,
): void {
  for (const [index, constraint] of (constraints ?? []).entries())
    checkOne(problems, `${where}: constraint ${index + 1}`, constraint)
}

function checkAffinities(
  problems: string[],
  where: string,
  affinities: readonly (Constraint & { readonly Weight: number })[] | null,
): void {
  for (const [index, affinity] of (affinities ?? []).entries()) {
    const at = `${where}: affinity ${index + 1}`
    checkOne(problems, at, affinity)
    if (isOverNodes(affinity.Operand))
      problems.push(`${at} has operand "${affinity.Operand}", which only constraints have`)
    if (affinity.Weight === 0)
      problems.push(`${at} has Weight 0, which has no effect: use -100 to 100 without 0`)
  }
}

function checkOne(problems: string[], at: string, { LTarget, RTarget, Operand }: Constraint): void {
  const operand = ownValue(operands, Operand)
  if (operand === undefined) {
    problems.push(`${at} has the unknown operand ${JSON.stringify(shortened(Operand))}; use one of ${words}`)
    return
  }
  for (const [name, text] of [
    ['LTarget', LTarget],
    ['RTarget', RTarget],
  ] as const)
    if (text.length > longest) {
      problems.push(`${at}: ${name} has ${text.length} characters, more than ${longest}`)
      return
    }
  if (LTarget === '' && Operand !== 'distinct_hosts')
    problems.push(`${at} with operand "${Operand}" needs an LTarget, such as \${attr.kernel.name}`)
  if (operand.right === 'needed' && RTarget === '')
    problems.push(`${at} with operand "${Operand}" needs an RTarget`)
  if (operand.right === 'none' && RTarget !== '')
    problems.push(`${at} with operand "${Operand}" takes no RTarget`)
  if (RTarget === '' || RTarget.includes('${')) return
  const problem = operand.problem?.(RTarget)
  if (problem !== undefined) problems.push(`${at} with operand "${Operand}" ${problem}`)
}

function checkSpreads(problems: string[], where: string, spreads: JobSpec['Spreads']): void {
  for (const { Attribute, SpreadTarget } of spreads ?? []) {
    const at = `${where}: the spread over ${JSON.stringify(shortened(Attribute))}`
    if (Attribute === '') problems.push(`${where}: a spread has no Attribute, such as \${node.datacenter}`)
    const targets = SpreadTarget ?? []
    const sum = targets.reduce((total, { Percent }) => total + Percent, 0)
    if (sum > 100) problems.push(`${at}: the Percent of its targets is ${sum} together, more than 100`)
    if (new Set(targets.map(({ Value }) => Value)).size < targets.length)
      problems.push(`${at} names a target more than once`)
  }
}
