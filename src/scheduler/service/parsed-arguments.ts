import * as z from 'zod'
import type { Check } from '../../operation/arguments.ts'
import { AclPolicyRecord, AclTokenWrite } from '../acl/model.ts'
import { JobSpec } from '../jobs/model.ts'
import { NodeRecord } from '../nodes/model.ts'
import { SchedulerConfiguration } from '../placement/configuration.ts'
import { PoolSpec } from '../pools/model.ts'
import { alreadyParsed } from '../wire/already-parsed.ts'
import { isTooDeep, maxDepth } from '../wire/depth.ts'

/** An argument of which a person writes as much as they like. */
interface ParsedArgument<Schema extends z.ZodType> {
  /** What is wrong with it, which everybody is told before a method does anything. */
  readonly check: Check
  /** What the method works with: whatever was left out takes its default. */
  readonly take: (given: z.input<Schema>) => z.output<Schema>
}

function parsedArgument<Schema extends z.ZodType>(schema: Schema): ParsedArgument<Schema> {
  const isWhole = alreadyParsed(schema)
  /** What came of reading an argument to check it, until it is taken: nothing is read twice. */
  const read = new WeakMap<object, z.output<Schema>>()
  return {
    check: (given) => {
      const isObject = typeof given === 'object' && given !== null
      if (isObject && isWhole(given)) {
        read.set(given, given)
        return undefined
      }
      if (isTooDeep(given)) return { path: [], message: `nested more than ${maxDepth} levels deep` }
      const { data, error } = schema.safeParse(given)
      if (isObject && data !== undefined) read.set(given, data)
      return error?.issues[0]
    },
    take: (given) => {
      if (typeof given !== 'object' || given === null) return schema.parse(given)
      const known = read.get(given)
      read.delete(given)
      return known ?? (isWhole(given) ? given : schema.parse(given))
    },
  }
}

/** The arguments of methods that need not be whole. What came over HTTP was read already, and is whole. */
export const writtenJob = parsedArgument(JobSpec)
export const writtenNode = parsedArgument(NodeRecord)
export const writtenPool = parsedArgument(PoolSpec)
/** What is wrong with a name or a description is a refusal, as with rules. */
export const writtenPolicy = parsedArgument(
  AclPolicyRecord.extend({ Name: z.string(), Description: z.string().default('') }),
)
export const writtenToken = parsedArgument(AclTokenWrite)
export const writtenConfiguration = parsedArgument(SchedulerConfiguration)
