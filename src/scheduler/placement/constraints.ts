import type { z } from 'zod'
import { ownValue } from '../../kernel/objects.ts'
import type { Constraint as ConstraintSchema } from '../jobs/task-group.ts'
import { interpolated, type Lookup } from './interpolate.ts'
import { operands } from './operands.ts'

/** A condition that nodes must meet. */
export type Constraint = Readonly<z.infer<typeof ConstraintSchema>>

/** Whether the value of an attribute meets a constraint. */
export type ConstraintTest = (lookup: Lookup) => boolean

/** Compiled constraints, cached as long as their job exists. */
const compiled = new WeakMap<Constraint, ConstraintTest>()

/** The number of left sides whose result a constraint caches. */
const remembered = 4096

/** Compiles a constraint. An unknown operand matches no node. */
export function constraintTest(constraint: Constraint): ConstraintTest {
  const known = compiled.get(constraint)
  if (known !== undefined) return known
  const made = compile(constraint)
  compiled.set(constraint, made)
  return made
}

function compile({ LTarget, RTarget, Operand }: Constraint): ConstraintTest {
  const operand = ownValue(operands, Operand)
  if (operand === undefined) return () => false
  const [left, right] = [interpolated(LTarget), interpolated(RTarget)]
  if (right.constant === undefined) return (lookup) => operand.test(right.in(lookup))(left.in(lookup))
  const test = operand.test(right.constant)
  const verdicts = new Map<string | undefined, boolean>()
  return (lookup) => {
    const value = left.in(lookup)
    const known = verdicts.get(value)
    if (known !== undefined) return known
    const verdict = test(value)
    if (verdicts.size >= remembered) verdicts.clear()
    verdicts.set(value, verdict)
    return verdict
  }
}

/** A constraint in one line, as metrics name it. */
export const constraintText = ({ LTarget, RTarget, Operand }: Constraint): string =>
  [LTarget, Operand, RTarget].filter((part) => part !== '').join(' ')
