import * as z from 'zod'
import { int64 } from '../values/int64.ts'
import { mapOf } from '../values/map.ts'

/**
 * A variable as callers write it: names and texts under a path of a namespace.
 */
export const VariableSpec = z.object({
  Namespace: z.string().default('default'),
  Path: z.string(),
  Items: mapOf(z.string()),
})
/**
 * A variable as callers write it: names and texts under a path of a namespace.
 */
export interface VariableSpec extends z.infer<typeof VariableSpec> {}
/**
 * A {@link VariableSpec} with optional fields: the namespace is `default` if it is omitted.
 */
export interface VariableInput extends z.input<typeof VariableSpec> {}

/** A variable as it is stored. */
export const VariableRecord = VariableSpec.extend({ CreateTime: int64, ModifyTime: int64 })
/** A variable as it is stored. */
export interface VariableRecord extends z.infer<typeof VariableRecord> {}

/**
 * A variable as it is read.
 */
export const Variable = VariableRecord.extend({ CreateIndex: z.int(), ModifyIndex: z.int() })
/**
 * A variable as it is read.
 */
export interface Variable extends z.infer<typeof Variable> {}

/**
 * A variable as it is listed and filtered: without its items, because a caller who may list may not read.
 */
export const VariableStub = Variable.omit({ Items: true })
/**
 * A variable as it is listed and filtered: without its items, because a caller who may list may not read.
 */
export interface VariableStub extends z.infer<typeof VariableStub> {}

/** The list form of a variable. */
export const variableStub = (row: Variable): VariableStub => ({
  Namespace: row.Namespace,
  Path: row.Path,
  CreateTime: row.CreateTime,
  ModifyTime: row.ModifyTime,
  CreateIndex: row.CreateIndex,
  ModifyIndex: row.ModifyIndex,
})
