import type { ScalarKind } from './shape.ts'

export const scalarKinds: ReadonlySet<unknown> = new Set<ScalarKind>([
  ...(['string', 'bool', 'bytes', 'float32', 'float64', 'time', 'unix-ms', 'unix-ns', 'duration'] as const),
  ...(['int', 'int8', 'int16', 'int32', 'int64', 'uint', 'uint8', 'uint16', 'uint32', 'uint64'] as const),
])

export const isScalarKind = (kind: unknown): kind is ScalarKind => scalarKinds.has(kind)
