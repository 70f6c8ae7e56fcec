/** The structure of the configuration language's second version: blocks and attributes, with expressions as text. */
export { constantOf } from './constant.ts'
export type { Constant, Expression, StructureBlock, StructureBody, StructureProblem } from './model.ts'
export { objectEntries } from './object-entries.ts'
export { positionAt, readStructure, structureSteps } from './read-structure.ts'
export { deepest } from './scanner.ts'
