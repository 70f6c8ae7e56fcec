const chunkBits = 14
const chunkCells = 1 << chunkBits
const none = new Uint32Array(0)

/**
 * A long array of 32-bit numbers that grows in chunks: one typed array would be copied to grow, and the former copies are
 * so large that the collector marks the whole heap for them.
 */
export function cells() {
  const chunks: Uint32Array[] = []
  const chunkAt = (address: number): Uint32Array => chunks[address >>> chunkBits] ?? none

  return {
    /** The number at an address; 0 beyond the end. */
    get: (address: number): number => chunkAt(address)[address & (chunkCells - 1)] ?? 0,
    set: (address: number, value: number): void => {
      while (chunks.length * chunkCells <= address) chunks.push(new Uint32Array(chunkCells))
      chunkAt(address)[address & (chunkCells - 1)] = value
    },
    /** The chunk of an address, and the index in it. */
    chunkAt,
    indexOf: (address: number): number => address & (chunkCells - 1),
    /** The first address, from the given one, at which so many cells are in one chunk. */
    fitting: (address: number, length: number): number =>
      (address & (chunkCells - 1)) + length <= chunkCells ? address : (address | (chunkCells - 1)) + 1,
  }
}
