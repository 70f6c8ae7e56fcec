/** The configuration language of policies and server files: text to entries with positions, to plain values. */
export type { Body, Entry, Key, Position, Value } from './ast.ts'
export { type Block, blocksOf, unknownName } from './blocks.ts'
export { type Plain, positionOf, toPlain } from './plain.ts'
export { type HclLimits, type HclRead, problemAt, readHcl, readingHcl } from './read.ts'
