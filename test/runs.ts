/**
 * How many times a property is checked: as often as usual, or as `PLINTH_PROPERTY_RUNS` says if that is more; see
 * CONTRIBUTING.
 */
export const runs = (usual: number): number =>
  Math.max(usual, Number(process.env['PLINTH_PROPERTY_RUNS'] ?? 0))
