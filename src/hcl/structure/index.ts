/** The structure of the configuration language's second version: blocks and attributes, with expressions as text. */
export { constantOf, expression } from './expression.ts'
export { type Loop, turns } from './loops.ts'
export type {
  Constant,
  Evaluate,
  Expression,
  Scope,
  StructureBlock,
  StructureBody,
  StructureProblem,
} from './model.ts'
export { objectEntries } from './object-entries.ts'
export { positionAt, readStructure, structureSteps } from './read-structure.ts'
export { deepest, Scanner, Unreadable } from './scanner.ts'
