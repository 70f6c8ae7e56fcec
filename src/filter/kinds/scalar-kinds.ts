import { plainName, type ScalarKind, type Shape, scalarShape, type TextOrder } from './shape.ts'

export const scalarKinds: ReadonlySet<unknown> = new Set<ScalarKind>([
  ...(['string', 'bool', 'bytes', 'float32', 'float64'] as const),
  ...(['time', 'unix-ms', 'unix-ns', 'duration', 'ordered-string'] as const),
  ...(['int', 'int8', 'int16', 'int32', 'int64', 'uint', 'uint8', 'uint16', 'uint32', 'uint64'] as const),
])

export const isScalarKind = (kind: unknown): kind is ScalarKind => scalarKinds.has(kind)

/** The shape of a kind by any of its names; `undefined` if it is no scalar kind. */
export function shapeNamed(name: unknown): Shape | undefined {
  const kind = plainName(name)
  if (!isScalarKind(kind)) return undefined
  return kind === 'ordered-string' ? { type: 'string', name: kind, order: byCodePoint } : scalarShape(kind)
}

/** As databases order strings; JavaScript orders them by UTF-16 unit. */
const byCodePoint: TextOrder = (left, right) => {
  let at = 0
  while (at < left.length && left.codePointAt(at) === right.codePointAt(at)) at += 1
  return (left.codePointAt(at) ?? -1) - (right.codePointAt(at) ?? -1)
}
