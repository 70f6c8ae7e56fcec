type Cells = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

/** The cells themselves if there are enough, otherwise a longer copy with room for more. */
export function grown<Numbers extends Cells>(cells: Numbers, length: number): Numbers {
  if (length <= cells.length) return cells
  // A typed array is made by the constructor of its own kind.
  const { constructor: Kind } = cells as Cells & { readonly constructor: new (length: number) => Numbers }
  const larger = new Kind(Math.max(64, Math.ceil(length * 1.5)))
  larger.set(cells)
  return larger
}
